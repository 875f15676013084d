/** Connections that nothing comes from. */

import { check, says, same, shows } from "../stage.mjs";

/** Longer than a page bears silence. */
const LONG_MS = 31_000;

/** Keeps all streams that the page opens. */
function note() {
    globalThis.streams = [];
    globalThis.EventSource = class extends EventSource {
        constructor(url) {
            super(url);
            globalThis.streams.push(this);
        }
    };
}

/** A page whose time can be moved on. */
async function opened(stage, board) {
    const page = await stage.open(null);
    await page.addInitScript(note);
    await page.clock.install();
    await page.goto(`${stage.url}/#/${board}?window=day`);
    await shows(page, ["ada", "ben"]);
    await says(page, "live");
    return page;
}

function open(page) {
    return page.evaluate(() => globalThis.streams.filter((stream) => stream.readyState !== EventSource.CLOSED).length);
}

export const scenarios = {
    async "a dead connection is found out"(stage) {
        await stage.give("gifts/silent", ["ada", 30], ["ben", 20]);
        const page = await opened(stage, "gifts/silent");
        // A server that answers is left alone.
        const asked = page.waitForResponse("**/top?*n=1");
        await page.clock.fastForward(LONG_MS);
        check((await asked).ok(), "the top is asked for");
        await says(page, "live");
        same(await page.evaluate(() => globalThis.streams.length), 1, "streams");
        // One that has gone without a word answers nothing.
        await page.route("**/top?*", () => {});
        await page.clock.fastForward(LONG_MS);
        await says(page, "lost");
        same(await open(page), 0, "streams that are open");
        await page.unrouteAll({ behavior: "ignoreErrors" });
        await page.locator("#again").click({ timeout: 1000 }).catch(() => {
            // It came back by itself before.
        });
        await says(page, "live");
    },
};
