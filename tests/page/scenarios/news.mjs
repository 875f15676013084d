/** What a screen reader is told. */

import { check, eventually, same, shows } from "../stage.mjs";

const QUIET_MS = 10_000;

/** Keeps what is told, and when; from the beginning. */
function note() {
    globalThis.told = [];
    const look = () => {
        const text = document.getElementById("said")?.textContent ?? "";
        if (text !== "" && text !== globalThis.told.at(-1)?.[0]) globalThis.told.push([text, performance.now()]);
    };
    new MutationObserver(look).observe(document, { childList: true, characterData: true, subtree: true });
}

export const scenarios = {
    async "who leads is told, at most every ten seconds"(stage) {
        const board = "gifts/news";
        await stage.give(board, ["ada", 30], ["ben", 20]);
        const page = await stage.open(null);
        await page.addInitScript(note);
        await page.goto(`${stage.url}/#/${board}?window=day`);
        const region = page.locator("#said");
        same(await region.getAttribute("aria-live"), "polite", "how it is told");
        await eventually("the first", async () => await region.textContent() === "ada leads with 30 points.");
        await stage.give(board, ["ben", 100]);
        await shows(page, ["ben", "ada"]);
        await stage.give(board, ["cyd", 500]);
        await shows(page, ["cyd", "ben", "ada"]);
        await eventually("the last", async () => await region.textContent() === "cyd leads with 500 points.");
        const told = await page.evaluate(() => globalThis.told);
        // On a slow machine ben may have his ten seconds, too. Timers may be some milliseconds early.
        const pauses = told.slice(1).map(([, at], place) => at - told[place][1]);
        check(pauses.every((pause) => pause > QUIET_MS - 50), `told after ${pauses} ms`);
        check(told.length > 1, "both were told");
    },
};
