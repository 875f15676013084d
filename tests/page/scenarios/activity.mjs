/** What just came in, and the line of a member's rank. */

import { check, eventually, same, says, shows } from "../stage.mjs";
import { looked } from "./looks.mjs";

/** The texts of the feed, newest first. */
function news(page) {
    return page.$$eval("#news li", (all) => all.map((item) => `${item.querySelector("b").textContent} ${item.querySelector(".what").textContent}`));
}

export const scenarios = {
    async "the feed shows who gained and entered, nobody who is gone, and the points per minute"(stage) {
        const board = "gifts/feed";
        const members = Array.from({ length: 11 }, (_, at) => `m${at}`);
        await stage.give(board, ...members.map((member, at) => [member, 1000 - at]));
        const page = await stage.open(null);
        await page.clock.install();
        await page.goto(`${stage.url}/#/${board}?window=day`);
        await shows(page, members.slice(0, 10));
        await says(page, "live");
        same(await page.locator("#no-news").innerText(), "Nothing since you opened this board.", "an empty feed");
        same(await page.locator("#activity [aria-live], #activity [role=status]").count(), 0, "regions that are read out");
        await stage.give(board, ["m1", 50], ["m10", 60]);
        await shows(page, ["m10", "m1", "m0", ...members.slice(2, 9)]);
        await page.clock.fastForward(3000);
        await eventually("both", async () => (await news(page)).length === 2);
        same((await news(page)).sort(), ["m1 +50", "m10 entered at #1"], "what came in");
        check(await page.locator("#rate").isHidden(), "no rate of three seconds");
        await page.clock.fastForward(10_000);
        await eventually("the rate", () => page.locator("#rate").isVisible());
        const rate = Number((await page.locator("#rate strong").innerText()).replaceAll(",", ""));
        // 50 in the time that the page has seen, some 13 s to a minute.
        check(rate >= 50 && rate <= 240, `points per minute: ${rate}`);
        for (let round = 0; round < 5; round += 1) {
            await stage.give(board, ...members.slice(0, 5).map((member, at) => [member, 1 + at + round * 100]));
            const points = (await stage.get(`/v1/boards/${board}/top?fresh=true&window=day&n=1`)).entries[0].points;
            await eventually("the frame", async () => (await page.locator("#rows .number").first().innerText()).replaceAll(",", "") === String(points));
            await page.clock.fastForward(3000);
        }
        same((await news(page)).length, 12, "the feed is bounded");
        await stage.hide("gifts", "m0", true);
        await eventually("no line of a hidden member", async () => (await news(page)).every((text) => !text.startsWith("m0 ")));
        await stage.hide("gifts", "m0", false);
        const found = await looked(stage, page, "activity");
        check(found.length === 0, found.join("\n"));
    },

    async "a member's rank is drawn over the time that the tab has seen"(stage) {
        const board = "gifts/trail";
        await stage.give(board, ["ada", 30], ["ben", 20], ["cyd", 10]);
        const page = await stage.open(null);
        await page.clock.install();
        await page.goto(`${stage.url}/#/${board}?window=day&member=cyd`);
        await eventually("the place", async () => await page.locator("#found .place").count() === 1);
        check(await page.locator("#found .trail").isHidden(), "no line yet");
        await page.clock.fastForward(20_000);
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
