/** Dead connections, and hidden tabs. */

import { check, eventually, says, same, shows } from "../stage.mjs";

/** Longer than the timeouts of a silent connection and of a hidden tab. */
const LONG_MS = 31_000;

/** Records all streams that the page opens, and lets requests of a limited time run on until `expire` is called. */
function note() {
    let limits = [];
    AbortSignal.timeout = () => {
        const limit = new AbortController();
        limits.push(limit);
        return limit.signal;
    };
    globalThis.expire = () => {
        for (const limit of limits) limit.abort(new DOMException("it took too long", "TimeoutError"));
        limits = [];
    };
    globalThis.streams = [];
    globalThis.EventSource = class extends EventSource {
        constructor(url) {
            super(url);
            globalThis.streams.push(this);
        }
    };
}

/** Opens a page with a simulated clock. */
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
    async "a dead connection is detected"(stage) {
        await stage.give("gifts/silent", ["ada", 30], ["ben", 20]);
        const page = await opened(stage, "gifts/silent");
        // If the server answers, the page keeps the connection.
        const asked = page.waitForResponse(/\/top\?.*\bn=1\b/);
        await page.clock.fastForward(LONG_MS);
        check((await asked).ok(), "the top is asked for");
        await says(page, "live");
        same(await page.evaluate(() => globalThis.streams.length), 1, "streams");
        // A dead connection does not answer.
        const unanswered = new Promise((resolve) => { page.route("**/top?*", resolve); });
        await page.clock.fastForward(LONG_MS);
        await unanswered;
        await page.evaluate(() => globalThis.expire());
        await says(page, "lost");
        same(await open(page), 0, "streams that are open");
        await page.unrouteAll({ behavior: "ignoreErrors" });
        await page.evaluate(() => globalThis.expire());
        await page.locator("#again").click({ timeout: 1000 }).catch(() => {
            // It may have reconnected by itself before.
        });
        await says(page, "live");
    },

    async "a hidden tab closes its connection"(stage) {
        await stage.give("gifts/hidden", ["ada", 30], ["ben", 20]);
        const page = await opened(stage, "gifts/hidden");
        await look(page, "hidden");
        await look(page, "visible");
        const asked = page.waitForResponse(/\/top\?.*\bn=1\b/);
        await page.clock.fastForward(LONG_MS);
        await asked;
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
