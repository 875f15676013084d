/** Connections that nothing comes from, and tabs that nobody looks at. */

import { check, eventually, says, same, shows } from "../stage.mjs";

/** Longer than a page bears silence, or keeps a connection that nobody looks at. */
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

async function look(page, state) {
    await page.evaluate((wanted) => {
        Object.defineProperty(document, "visibilityState", { configurable: true, get: () => wanted });
        document.dispatchEvent(new Event("visibilitychange"));
    }, state);
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

    async "a tab that nobody looks at gives its connection up"(stage) {
        await stage.give("gifts/hidden", ["ada", 30], ["ben", 20]);
        const page = await opened(stage, "gifts/hidden");
        await look(page, "hidden");
        await look(page, "visible");
        await page.clock.fastForward(LONG_MS);
        same(await open(page), 1, "streams of a tab that was left for a moment");
        await look(page, "hidden");
        await page.clock.fastForward(LONG_MS);
        await eventually("no stream", async () => await open(page) === 0);
        await stage.give("gifts/hidden", ["ben", 100]);
        await look(page, "visible");
        await shows(page, ["ben", "ada"]);
        await says(page, "live");
        same(await open(page), 1, "streams once it is looked at");
    },
};
