/** Announcements for screen readers. */

import { check, eventually, same, shows } from "../stage.mjs";

const QUIET_MS = 10_000;

/** Records all announcements and their times. */
function note() {
    globalThis.announced = [];
    const look = () => {
        const text = document.getElementById("said")?.textContent ?? "";
        if (text !== "" && text !== globalThis.announced.at(-1)?.[0]) globalThis.announced.push([text, performance.now()]);
    };
    new MutationObserver(look).observe(document, { childList: true, characterData: true, subtree: true });
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
        await eventually("the last", async () => await region.textContent() === "cyd leads with 500 points.");
        const announced = await page.evaluate(() => globalThis.announced);
        // On a slow machine ben may be announced too. Timers may fire some milliseconds early.
        const pauses = announced.slice(1).map(([, at], index) => at - announced[index][1]);
        check(pauses.every((pause) => pause > QUIET_MS - 50), `announced after ${pauses} ms`);
        check(announced.length > 1, "both must be announced");
    },
};
