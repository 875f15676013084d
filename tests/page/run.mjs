/**
 * Passes all scenarios: `node run.mjs URL FOLDER`, with a server at URL that nobody else uses. A browser has one font, the
 * wide one unless a scenario asks for the narrow one.
 *
 * What it finds it tells line by line as JSON: `{"passed": NAME}`, `{"failed": NAME, "why": TEXT}`. It asks for what
 * only its parent can do by `{"ask": "kill"}` and `{"ask": "start"}`, and waits for a line in answer. Screenshots
 * go to FOLDER.
 */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { chromium } from "playwright-core";

import { FONTS, only } from "./fonts.mjs";
import { host } from "./host.mjs";
import { Stage } from "./stage.mjs";

import { scenarios as access } from "./scenarios/access.mjs";
import { scenarios as docs } from "./scenarios/docs.mjs";
import { outages as exampleOutages, scenarios as example } from "./scenarios/example.mjs";
import { scenarios as faults } from "./scenarios/faults.mjs";
import { scenarios as find } from "./scenarios/find.mjs";
import { scenarios as looks } from "./scenarios/looks.mjs";
import { scenarios as moves } from "./scenarios/moves.mjs";
import { scenarios as names } from "./scenarios/names.mjs";
import { scenarios as news } from "./scenarios/news.mjs";
import { scenarios as outages } from "./scenarios/outages.mjs";
import { scenarios as silence } from "./scenarios/silence.mjs";

/** For the machine at hand: no sandbox as root, and no calls home. */
const FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

/** What a scenario may take on a slow and busy machine, where the longest takes 2 min: beyond, it hangs. */
const SCENARIO_MS_MAX = 600_000;

const [url, folder] = process.argv.slice(2);
const replies = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

function tell(line) {
    process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function ask(what) {
    tell({ ask: what });
    await replies.next();
}

/** Fails when a scenario has had its time: what hangs in it would hang all. */
async function tooLate() {
    await new Promise((resolve) => setTimeout(resolve, SCENARIO_MS_MAX).unref());
    throw new Error(`not over within ${SCENARIO_MS_MAX} ms`);
}

async function pass([name, scenario]) {
    const begun = Date.now();
    const stage = new Stage(setting);
    try {
        await Promise.race([scenario(stage), tooLate()]);
        tell({ passed: name, ms: Date.now() - begun });
    } catch (error) {
        tell({ failed: name, why: error.stack ?? String(error), ms: Date.now() - begun });
    } finally {
        await stage.close();
    }
}

async function inTurn(group) {
    for (const scenario of Object.entries(group)) await pass(scenario);
}

mkdirSync(folder, { recursive: true });
const executablePath = process.env.MEGABOARD_CHROMIUM ?? "/usr/bin/chromium";
const fonts = mkdtempSync(join(tmpdir(), "page-fonts-"));
const launches = Object.entries(FONTS).map(async ([width, font]) =>
    [width, await chromium.launch({ executablePath, args: FLAGS, env: only(font, join(fonts, width)) })]);
const browsers = Object.fromEntries(await Promise.all(launches));
const origin = await host(new URL("../../docs/typescript/", import.meta.url), url);
const setting = { browsers, url, example: origin, folder, ask, requests: [], faults: [] };
try {
    // Two at a time, but for what the others would not survive, and what looks at all that was done.
    await Promise.all([
        inTurn({ ...moves, ...names, ...find, ...access, ...silence, ...news }),
        inTurn({ ...looks, ...docs, ...example }),
    ]);
    await inTurn({ ...outages, ...exampleOutages });
    await inTurn(faults);
} finally {
    await Promise.all(Object.values(browsers).map((browser) => browser.close()));
    rmSync(fonts, { recursive: true });
}
process.exit(0);
