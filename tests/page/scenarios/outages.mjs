/** Outages of the server and of its store. */

import { AWAY, check, eventually, says, same, shows } from "../stage.mjs";
import { looked } from "./looks.mjs";

const BOARD = "gifts/outage";

/** Marks all frames of streams as stale while `globalThis.isStale` is set, as the server does without its store. */
function withStale() {
    globalThis.EventSource = class extends EventSource {
        addEventListener(type, listen) {
            super.addEventListener(type, type !== "board" ? listen : (event) => {
                const data = JSON.stringify({ ...JSON.parse(event.data), ...(globalThis.isStale ? { stale: true } : {}) });
                listen({ data, lastEventId: event.lastEventId });
            });
        }
    };
}

export const scenarios = {
    async "a lost connection is restored"(stage) {
        await stage.give(BOARD, ["ada", 30], ["ben", 20]);
        const page = await stage.open(`#/${BOARD}?window=day&member=ben`, { ignored: AWAY });
        await shows(page, ["ada", "ben"]);
        await says(page, "live");
        check(await page.locator("#banner").isHidden(), "no banner while all is well");
        await stage.ask("kill");
        await says(page, "lost");
        await eventually("a banner says so", async () => (await page.locator("#banner").innerText()).includes("Reconnecting…"));
        check(/as of \d+:\d\d:\d\d/.test(await page.locator("#banner").innerText()), "and how old the board is");
        same(await page.locator("#live").innerText(), "Reconnecting…", "and so does the bar, which is read out");
        // The last rows stay, and are marked as old.
        await shows(page, ["ada", "ben"]);
        check(await page.locator("#board.away").count() === 1, "the board is greyed");
        await page.screenshot({ path: `${stage.folder}/lost-desktop-dark.png` });
        await stage.ask("start");
        await says(page, "live");
        check(await page.locator("#banner").isHidden(), "the banner goes");
        check(await page.locator("#board.away").count() === 0, "the board is as before");
        await stage.give(BOARD, ["ben", 100]);
        await shows(page, ["ben", "ada"], "rows move again");
        await eventually("the member found", async () => await page.locator("#found .place").innerText() === "#1");
    },

    async "a stale board is shown as stale, not as live"(stage) {
        await stage.give("gifts/stale", ["ada", 30], ["ben", 20]);
        const page = await stage.open(null);
        await page.addInitScript(withStale);
        await page.goto(`${stage.url}/#/gifts/stale?window=day`);
        await shows(page, ["ada", "ben"]);
        await says(page, "live");
        await page.evaluate(() => { globalThis.isStale = true; });
        await stage.give("gifts/stale", ["ben", 1]);
        await eventually("the badge", async () => await page.locator("#live").innerText() === "Stale");
        check(/^Stale: the store cannot be reached\. Shown as of \d+:\d\d:\d\d/.test(await page.locator("#banner").innerText()), "the banner");
        same(await page.locator("#board.away").count(), 1, "boards that are greyed");
        check(await page.locator("#again").isHidden(), "the page has nothing to try");
        const found = await looked(stage, page, "stale");
        await page.evaluate(() => { globalThis.isStale = false; });
        await stage.give("gifts/stale", ["ben", 1]);
        await eventually("live again", async () => await page.locator("#live").innerText() === "Live");
        check(await page.locator("#banner").isHidden(), "the banner goes");
        check(found.length === 0, found.join("\n"));
    },

    async "a store that is unavailable at the start is named until it is back"(stage) {
        await stage.give("gifts/stored", ["ada", 3]);
        const page = await stage.open(null, { ignored: /status of 503/ });
        const problem = { type: "unavailable", title: "The store is unavailable", status: 503, detail: "store: not connected" };
        let asked = 0;
        await page.route("**/v1/kinds", (route) => {
            asked += 1;
            return route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify(problem) });
        });
        await page.goto(`${stage.url}/#/gifts/stored?window=day`);
        const banner = page.locator("#banner");
        await eventually("the store is named", async () => await banner.isVisible() && (await banner.innerText()).startsWith("The store cannot be reached."));
        const before = asked;
        await page.evaluate(() => new MutationObserver(() => { globalThis.wasHidden = true; }).observe(document.getElementById("banner"), { attributeFilter: ["hidden"] }));
        await eventually("two more attempts", () => asked > before + 1);
        check(!await page.evaluate(() => globalThis.wasHidden), "the banner stays between attempts");
        await page.unrouteAll();
        await page.locator("#again").click({ timeout: 1000 }).catch(() => {
            // It may have started by itself before.
        });
        await shows(page, ["ada"]);
        check(await banner.isHidden(), "the banner goes");
    },

    async "a page waits for an unavailable server"(stage) {
        await stage.give(BOARD, ["ada", 30], ["ben", 20]);
        const page = await stage.open(`#/${BOARD}?window=day`, { ignored: AWAY });
        await shows(page, ["ada", "ben"]);
        await stage.ask("kill");
        await says(page, "lost");
        await page.locator("#subject").fill("somewhere-else");
        await page.keyboard.press("Enter");
        await says(page, "lost");
        await stage.ask("start");
        await page.locator("#again").click({ timeout: 1000 }).catch(() => {
            // It may have reconnected by itself before.
        });
        await says(page, "live");
        await eventually("the empty board", () => page.locator("#card .podium").isVisible());
    },

    async "a board that has ended is shown as final"(stage) {
        const settle = async (settings) => {
            const response = await fetch(`${stage.url}/v1/boards/gifts/battle`, {
                method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify(settings),
            });
            return response.ok;
        };
        const inMs = (ms) => new Date(Date.now() + ms).toISOString();
        check(await settle({ starts_at: inMs(3_600_000), ends_at: inMs(7_200_000) }), "the board takes a start");
        const page = await stage.open("#/gifts/battle?window=day");
        await eventually("nothing can change yet", async () => await page.locator("#live").innerText() === "Not started");
        check(await settle({ ends_at: inMs(3_600_000) }), "the board takes an end");
        await stage.give("gifts/battle", ["ada", 3], ["ben", 2]);
        await shows(page, ["ada", "ben"]);
        await eventually("the time left", async () => /Ends in (59:\d\d|1h)/.test(await page.locator("#span").innerText()));
        same(await page.locator("#live").innerText(), "Live", "the bar");
        // An end has to be ahead when it arrives.
        await eventually("an end in a moment", () => settle({ ends_at: inMs(1000) }));
        await eventually("the end", async () => (await page.locator("#span").innerText()).includes("Final since"));
        same(await page.locator("#live").innerText(), "Final", "the bar");
    },

    async "a deleted kind is reported and not requested again"(stage) {
        await stage.give("gifts/main", ["ada", 3]);
        const page = await stage.open("#/gifts/main?window=day");
        await shows(page, ["ada"]);
        await page.evaluate(() => { location.hash = "#/no-such-kind/room?window=day"; });
        await eventually("the missing kind is shown", async () => (await page.locator("#card").innerText()).includes("does not exist"));
        same(await page.locator("#title").innerText(), "room", "the board that was asked for");
        same(await page.locator("#eyebrow").innerText(), "no-such-kind", "its kind");
    },
};
