/** What just came in, and the line of a member's rank. */

import { check, eventually, same, says, shows } from "../stage.mjs";
import { looked } from "./looks.mjs";

/** The texts of the feed, newest first. */
function news(page) {
    return page.$$eval("#news li", (all) => all.map((item) => `${item.querySelector("b").textContent} ${item.querySelector(".what").textContent}`));
}

/** Opens a page whose time stands still, and returns it with a function that sets the time in milliseconds from then. */
async function still(stage, hash) {
    const page = await stage.open(null);
    let now = Date.now();
    const begun = now;
    const at = (ms) => {
        now = begun + ms;
        return page.clock.setFixedTime(now);
    };
    // The page takes the server's time from here.
    await page.route("**/v1/kinds", async (route) => {
        const response = await route.fetch();
        return route.fulfill({ response, headers: { ...response.headers(), date: new Date(now).toUTCString() } });
    });
    await at(0);
    await page.goto(`${stage.url}/${hash}`);
    return [page, at];
}

export const scenarios = {
    async "the feed shows who gained and entered, nobody who is gone, and the points per minute"(stage) {
        const board = "gifts/feed";
        const members = Array.from({ length: 11 }, (_, at) => `m${at}`);
        await stage.give(board, ...members.map((member, at) => [member, 1000 - at]));
        const [page, at] = await still(stage, `#/${board}?window=day`);
        await shows(page, members.slice(0, 10));
        await says(page, "live");
        same(await page.locator("#no-news").innerText(), "Nothing since you opened this board.", "an empty feed");
        same(await page.locator("#activity [aria-live], #activity [role=status]").count(), 0, "regions that are read out");
        await stage.give(board, ["m1", 50], ["m10", 60]);
        await shows(page, ["m10", "m1", "m0", ...members.slice(2, 9)]);
        await at(3000);
        await eventually("both", async () => (await news(page)).length === 2);
        same((await news(page)).sort(), ["m1 +50", "m10 entered at #1"], "what came in");
        check(await page.locator("#rate").isHidden(), "no rate of three seconds");
        await at(13_000);
        await eventually("the rate", () => page.locator("#rate").isVisible());
        same(await page.locator("#rate strong").innerText(), "230", "points per minute: 50 in 13 seconds");
        for (const [round, count] of [6, 10, 12, 12].entries()) {
            await stage.give(board, ...members.slice(0, 5).map((member, index) => [member, 1 + index + round * 100]));
            const { entries } = await stage.get(`/v1/boards/${board}/top?fresh=true&window=day&n=10`);
            const wanted = entries.map(({ points }) => points.toLocaleString("en")).join(" ");
            await eventually("the frame", async () => (await page.locator("#rows .number").allInnerTexts()).join(" ") === wanted);
            const before = await page.locator("#news li").first().evaluateHandle((item) => item);
            await at(16_000 + round * 3000);
            await eventually("another first line", () => page.locator("#news li").first().evaluate((item, last) => item !== last, before));
            same((await news(page)).length, count, "the feed is bounded");
        }
        await stage.hide("gifts", "m0", true);
        await eventually("no line of a hidden member", async () => (await news(page)).every((text) => !text.startsWith("m0 ")));
        await stage.hide("gifts", "m0", false);
        const found = await looked(stage, page, "activity");
        check(found.length === 0, found.join("\n"));
    },

    async "a member's rank is drawn over the time that the tab has seen"(stage) {
        const board = "gifts/trail";
        await stage.give(board, ["ada", 30], ["ben", 20], ["cyd", 10]);
        const [page, at] = await still(stage, `#/${board}?window=day&member=cyd`);
        await eventually("the place", async () => await page.locator("#found .place").count() === 1);
        check(await page.locator("#found .trail").isHidden(), "no line yet");
        await at(20_000);
        await stage.give(board, ["cyd", 50]);
        await eventually("the line", async () => await page.locator("#found .place").innerText() === "#1" && await page.locator("#found .trail").isVisible());
        same(await page.locator("#found .ranks").innerText(), "Best 1 · now 1", "its words");
        check(/^Rank since .*: best 1, now 1\.$/.test(await page.locator("#found .trail svg").getAttribute("aria-label")), "its name");
        const before = await page.locator("#found .trail .line").getAttribute("d");
        check(/^M\S+ \S+H\S+V\S+/.test(before), `a step: ${before}`);
        // A reload keeps what was seen.
        await page.reload();
        await eventually("the line again", () => page.locator("#found .trail").isVisible());
        const keys = await page.evaluate(() => Object.keys(sessionStorage));
        check(keys.length === 1 && keys[0].startsWith("megaboard-trail:gifts/trail?day:"), `stored: ${keys}`);
        const found = await looked(stage, page, "trail");
        check(found.length === 0, found.join("\n"));
    },
};
