/** Earlier windows, and a first window without members. */

import { check, eventually, same, says, shows } from "../stage.mjs";
import { looked } from "./looks.mjs";

const HOUR_MS = 3_600_000;

/** Contributes to a board so many hours ago. */
async function giveAgo(stage, board, hours, member, points) {
    const at = new Date(Date.now() - hours * HOUR_MS).toISOString();
    const response = await fetch(`${stage.url}/v1/contributions`, {
        method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ board, member, points, at }),
    });
    check(response.ok, await response.text());
}

async function putKind(stage, kind, settings) {
    const response = await fetch(`${stage.url}/v1/kinds/${kind}`, {
        method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify(settings),
    });
    check(response.ok, await response.text());
}

/** Creates a kind with an hour that began at least 15 minutes ago and lasts at least 15 minutes more. */
async function putHours(stage, kind) {
    const minute = new Date().getUTCMinutes();
    // Half an hour off UTC.
    const zone = minute >= 15 && minute < 45 ? "UTC" : "Asia/Kolkata";
    await putKind(stage, kind, { windows: ["hour", "day", "week", "month", "all"], time_zone: zone });
}

function badge(page, text) {
    return eventually(`badge ${text}`, async () => await page.locator("#live").innerText() === text);
}

export const scenarios = {
    async "the shortest window with members is shown if the first has none and the link names none"(stage) {
        await putHours(stage, "hours-no-hour");
        const board = "hours-no-hour/a";
        await giveAgo(stage, board, 2, "ada", 30);
        const counts = await Promise.all(["day", "week", "month", "all"].map(async (window) =>
            [window, (await stage.get(`/v1/boards/${board}/top?window=${window}&n=1`)).members]));
        const [wanted] = counts.find(([, members]) => members > 0);
        const page = await stage.open(`#/${board}`);
        await shows(page, ["ada"]);
        same(await page.locator("#windows input:checked").inputValue(), wanted, "window");
        check(/^Nobody is ranked this hour\. Shown: /.test(await page.locator("#instead").innerText()), "the page says so");
        check(!page.url().includes("window="), "the link does not name the window");
        const found = await looked(stage, page, "instead");
        await page.locator("#instead button").click();
        await eventually("the hour", async () => (await page.locator("#card").innerText()).includes("Other windows of this board have members"));
        check(page.url().includes("window=hour"), "the choice is in the link");
        check(await page.locator("#instead").isHidden(), "the line goes");
        await page.reload();
        await eventually("the hour again", () => page.locator("#windows input[value=hour]").isChecked());
        check(found.length === 0, found.join("\n"));
    },

    async "earlier windows can be stepped through with the keyboard, and are not shown as live"(stage) {
        await putHours(stage, "hours-steps");
        const board = "hours-steps/a";
        await giveAgo(stage, board, 5, "cyd", 10);
        await giveAgo(stage, board, 2, "ben", 20);
        await stage.give(board, ["ada", 30]);
        const page = await stage.open(`#/${board}?window=hour`);
        await shows(page, ["ada"]);
        await badge(page, "Live");
        await eventually("an earlier window", async () => await page.locator("#earlier").getAttribute("aria-disabled") === "false");
        same(await page.locator("#later").getAttribute("aria-disabled"), "true", "after the live window there is none");
        await page.locator("#earlier").focus();
        await page.keyboard.press("Enter");
        await shows(page, ["ben"], "the window before, over the empty hours");
        await badge(page, "Ended");
        check((await page.locator("#span").innerText()).includes("late contributions may still count"), "what ended means");
        check(await page.locator("#windows input[value=hour]").isChecked(), "the tab of its period");
        await page.keyboard.press("Enter");
        await shows(page, ["cyd"]);
        same(await page.evaluate(() => document.activeElement.id), "earlier", "focus");
        await eventually("the first window", async () => await page.locator("#earlier").getAttribute("aria-disabled") === "true");
        const found = await looked(stage, page, "past");
        await page.locator("#later").focus();
        await page.keyboard.press("Enter");
        await shows(page, ["ben"]);
        await page.keyboard.press("Enter");
        await shows(page, ["ada"]);
        await badge(page, "Live");
        check(page.url().includes("window=hour") && !page.url().includes("window=hour%3A"), `the live hour, not a name: ${page.url()}`);
        check(found.length === 0, found.join("\n"));
    },

    async "a window that the URL names and that ends while it is shown is not live any more"(stage) {
        await putHours(stage, "hours-ends");
        const board = "hours-ends/a";
        await stage.give(board, ["ada", 30]);
        const info = await stage.get(`/v1/boards/${board}?window=hour`);
        const page = await stage.open(null);
        const begun = Date.now();
        await page.clock.setFixedTime(begun);
        await page.goto(`${stage.url}/#/${board}?window=${encodeURIComponent(info.window)}`);
        await shows(page, ["ada"]);
        await badge(page, "Live");
        await page.route(/\/v1\/boards\/hours-ends\/a\?window=hour$/, (route) => route.fulfill({ json: { ...info, window: "hour:2099-01-01T00" } }));
        await page.clock.setFixedTime(begun + 31_000);
        await badge(page, "Ended");
    },

    async "a closed window is shown as final, and its tab leads back"(stage) {
        await putKind(stage, "hourly", { windows: ["hour", "all"] });
        await giveAgo(stage, "hourly/charts", 2, "ada", 30);
        await putKind(stage, "hourly", { windows: ["hour", "all"], close: { hour: "1m" } });
        const { windows } = await stage.get("/v1/boards/hourly/charts");
        const [{ window }] = windows;
        const page = await stage.open(`#/hourly/charts?window=${encodeURIComponent(window)}`);
        await shows(page, ["ada"]);
        await badge(page, "Final");
        await says(page, "live");
        check((await page.locator("#span").innerText()).includes("Final"), "the sign");
        await page.locator("#windows input[value=hour]").click();
        await eventually("the live hour", async () => (await page.locator("#card").innerText()).includes("Other windows of this board have members"));
        await badge(page, "Live");
    },

    async "another window is shown when the one on the page is over and the next is empty"(stage) {
        await putHours(stage, "hours-rollover");
        const board = "hours-rollover/a";
        await stage.give(board, ["ada", 30]);
        const top = await stage.get(`/v1/boards/${board}/top?fresh=true&window=hour`);
        const next = { ...top, window: "hour:2099-01-01T00", members: 0, entries: [] };
        const page = await stage.open(null);
        let streams = 0;
        // The first stream shows the hour, the second one the next hour.
        await page.route(/stream\?.*window=hour/, (route) => {
            streams += 1;
            const frame = JSON.stringify(streams === 1 ? top : next);
            return route.fulfill({ contentType: "text/event-stream", body: `event: board\ndata: ${frame}\n\n` });
        });
        await page.goto(`${stage.url}/#/${board}`);
        await shows(page, ["ada"]);
        await eventually("the line", () => page.locator("#instead").isVisible());
        await shows(page, ["ada"]);
        check(streams >= 2, "the next hour was shown");
        same(await page.locator("#windows input:checked").inputValue(), "day", "window");
    },

    async "a link to a window that is no longer kept leads to the current one"(stage) {
        const board = "gifts/old-link";
        await stage.give(board, ["ada", 30]);
        const page = await stage.open(`#/${board}?window=day:2001-01-01`, { ignored: /^Failed to load resource/ });
        const card = page.locator("#card");
        await card.getByText("This window is no longer kept.").waitFor();
        check(!(await card.innerText()).includes("2001"), "no text of the server");
        const found = await looked(stage, page, "window-gone");
        check(found.length === 0, found.join("\n"));
        await page.evaluate(() => { location.hash = location.hash.replace(/window=.*/, "window=quarter"); });
        await card.getByText("The window in the link does not exist.").waitFor();
        await page.locator("#card button").click();
        await shows(page, ["ada"]);
        check(!page.url().includes("window="), "the link names no window");
    },
};
