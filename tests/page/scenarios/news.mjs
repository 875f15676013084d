/** Announcements for screen readers. */

import { eventually, same, shows } from "../stage.mjs";

/** Records all announcements, and holds the pauses between them until `resume` is called. */
function note() {
    globalThis.announced = [];
    const look = () => {
        const text = document.getElementById("said")?.textContent ?? "";
        if (text !== "" && text !== globalThis.announced.at(-1)) globalThis.announced.push(text);
    };
    new MutationObserver(look).observe(document, { childList: true, characterData: true, subtree: true });
    const set = globalThis.setTimeout;
    const held = [];
    globalThis.setTimeout = (act, ms, ...others) => (ms === 10_000 ? held.push(act) : set(act, ms, ...others));
    globalThis.resume = () => held.splice(0).map((act) => act()).length;
}

export const scenarios = {
    async "a new leader is announced, at most every ten seconds"(stage) {
        const board = "gifts/news";
        await stage.give(board, ["ada", 30], ["ben", 20]);
        const page = await stage.open(null);
        await page.addInitScript(note);
        await page.goto(`${stage.url}/#/${board}?window=day`);
        const region = page.locator("#said");
        same(await region.getAttribute("aria-live"), "polite", "aria-live");
        await eventually("the first", async () => await region.textContent() === "ada leads with 30 points.");
        await stage.give(board, ["ben", 100]);
        await shows(page, ["ben", "ada"]);
        await stage.give(board, ["cyd", 500]);
        await shows(page, ["cyd", "ben", "ada"]);
        same(await region.textContent(), "ada leads with 30 points.", "within ten seconds");
        same(await page.evaluate(() => globalThis.resume()), 1, "pauses of ten seconds");
        await eventually("the last", async () => await region.textContent() === "cyd leads with 500 points.");
        same(await page.evaluate(() => globalThis.announced.length), 2, "announcements: ben leads no more");
        same(await page.evaluate(() => globalThis.resume()), 1, "pauses after the last");
    },
};
