/** The example of docs/typescript, on its own origin. */

import { AWAY, check, eventually, same, VIEWS } from "../stage.mjs";
import { faults } from "./looks.mjs";

/** The message that a browser logs for the page's own server while Megaboard is unavailable. */
const NO_TOKEN = /status of 502/;

const HOSTILE = "<img src=x onerror=alert(1)>";

/** Opens the example with this query. Its requests are added to `requested`. */
async function opened(stage, query, { requested = [], ...options } = {}) {
    const page = await stage.open(null, options);
    page.on("request", (request) => requested.push(request));
    await page.goto(`${stage.example}/example/?server=${stage.url}&${query}`);
    return page;
}

/** Waits until the example shows these rows: rank, member, points. */
function shows(page, rows) {
    const cells = () => page.$$eval("#rows tr", (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
    return eventually(`rows ${JSON.stringify(rows)}`, async () => JSON.stringify(await cells()) === JSON.stringify(rows));
}

/** Waits until the example shows this state of its connection. */
function says(page, words) {
    return eventually(words, async () => await page.locator("#state").textContent() === words);
}

/** Runs axe in dark and light mode, with a screenshot of each. */
async function looks(stage, page, form) {
    const found = [];
    for (const scheme of ["dark", "light"]) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.screenshot({ path: `${stage.folder}/example-${form}-${scheme}.png` });
        found.push(...(await faults(page)).map((fault) => `${form}, ${scheme}: ${fault}`));
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(wide <= 0, `${form}: the page is ${wide} px wider than the window`);
    return found;
}

export const scenarios = {
    async "the example shows a live board of another origin"(stage) {
        check(stage.example !== stage.url, "it is another origin");
        await stage.give("gifts/example", ["ada", 3000], ["ben", 20], [HOSTILE, 10]);
        const page = await opened(stage, "board=gifts/example&window=day");
        await shows(page, [["1", "ada", "3,000"], ["2", "ben", "20"], ["3", HOSTILE, "10"]]);
        await says(page, "Live");
        same(await page.locator("#about").textContent(), "3 ranked · day", "what else is said");
        await stage.give("gifts/example", ["ben", 4000]);
        await shows(page, [["1", "ben", "4,020"], ["2", "ada", "3,000"], ["3", HOSTILE, "10"]]);
        const leader = page.getByRole("table", { name: "gifts/example" }).getByRole("row", { name: /ben/ });
        same(await leader.getByRole("rowheader").textContent(), "ben", "the row's heading");
    },

    async "the example has a column for each field of a kind"(stage) {
        const fields = await opened(stage, "board=races/example&window=all");
        await eventually("an empty board", async () => await fields.locator("#about").textContent() === "No members yet.");
        await stage.give("races/example", ["ada", { laps: 3, seconds: 70 }]);
        await shows(fields, [["1", "ada", "3", "70"]]);
        same(await fields.locator("#head").innerText(), "Rank\tMember\tLaps\tSeconds", "a column for each field");
    },

    async "the example shows why a board is refused"(stage) {
        const page = await opened(stage, "board=no-such-kind/room", { ignored: /status of 404/ });
        await eventually("why", async () => /Unknown kind.*no-such-kind/.test(await page.locator("#state").textContent()));
        same(await page.locator("#board").getAttribute("data-state"), "ended", "nothing is tried again");
    },

    async "axe finds no serious fault in the example"(stage) {
        const names = ["Ada Okafor", "ben.w", "Élodie Marchand", "محمد الأحمد", "Zoë", "user-4711", "Nova", "a-name-that-is-far-longer-than-any-column"];
        await stage.give("gifts/main-stage", ...names.map((name, at) => [name, Math.round(48_000 * 0.85 ** at)]));
        const found = [];
        for (const [view, viewport] of Object.entries(VIEWS)) {
            const page = await opened(stage, "board=gifts/main-stage&window=day", { viewport, reducedMotion: "reduce" });
            await says(page, "Live");
            found.push(...await looks(stage, page, view));
        }
        check(found.length === 0, found.join("\n"));
    },

    async "the example shows an outage and reconnects with a new token"(stage) {
        await stage.give("gifts/example-outage", ["ada", 30], ["ben", 20]);
        const ignored = new RegExp(`${AWAY.source}|${NO_TOKEN.source}`);
        const requested = [];
        const page = await opened(stage, "board=gifts/example-outage&window=day&tokens=/board-token", { ignored, requested });
        const before = [["1", "ada", "30"], ["2", "ben", "20"]];
        await shows(page, before);
        await stage.ask("kill");
        await says(page, "Connection lost. Reconnecting…");
        await shows(page, before);
        const found = await looks(stage, page, "lost");
        check(found.length === 0, found.join("\n"));
        await stage.ask("start");
        await says(page, "Live");
        await stage.give("gifts/example-outage", ["ben", 100]);
        await shows(page, [["1", "ben", "120"], ["2", "ada", "30"]]);
        const streams = requested.filter((request) => request.resourceType() === "eventsource");
        const tokens = streams.map((request) => new URL(request.url()).searchParams.get("token"));
        check(tokens.length > 1 && tokens.every((token) => token?.startsWith("mbs_")), `tokens: ${tokens}`);
        same(new Set(tokens).size, tokens.length, "how many of the tokens differ");
    },
};
