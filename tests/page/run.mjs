/**
 * Runs all scenarios: `node run.mjs URL FOLDER`, with a server at URL for these tests only. Each browser has one font, the
 * wide one unless a scenario selects the narrow one.
 *
 * Prints the results as lines of JSON: `{"passed": NAME}`, `{"failed": NAME, "why": TEXT}`. Requests its parent to kill
 * and start the server with `{"ask": "kill"}` and `{"ask": "start"}`, and waits for a line in reply. Screenshots are
 * saved in FOLDER.
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
import { scenarios as activity } from "./scenarios/activity.mjs";
import { scenarios as admin } from "./scenarios/admin.mjs";
import { scenarios as begin } from "./scenarios/begin.mjs";
import { scenarios as docs } from "./scenarios/docs.mjs";
import { outages as exampleOutages, scenarios as example } from "./scenarios/example.mjs";
import { scenarios as faults } from "./scenarios/faults.mjs";
import { scenarios as find } from "./scenarios/find.mjs";
import { scenarios as languages } from "./scenarios/languages.mjs";
import { scenarios as looks } from "./scenarios/looks.mjs";
import { scenarios as moves } from "./scenarios/moves.mjs";
import { scenarios as names } from "./scenarios/names.mjs";
import { scenarios as news } from "./scenarios/news.mjs";
import { scenarios as outages } from "./scenarios/outages.mjs";
import { scenarios as overlay } from "./scenarios/overlay.mjs";
import { scenarios as silence } from "./scenarios/silence.mjs";
import { scenarios as windows } from "./scenarios/windows.mjs";

/** No sandbox, which does not work as root, and no requests of the browser itself. */
const FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

/** The maximum duration of a scenario, for one that hangs. On a slow and busy machine the longest takes 2 minutes. */
const SCENARIO_MS_MAX = 900_000;

const [url, folder] = process.argv.slice(2);
const replies = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

function print(line) {
    process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function ask(what) {
    print({ ask: what });
    await replies.next();
}

/** Fails after the maximum duration of a scenario. */
async function timeout() {
    await new Promise((resolve) => setTimeout(resolve, SCENARIO_MS_MAX).unref());
    throw new Error(`the scenario did not end within ${SCENARIO_MS_MAX} ms`);
}

async function run([name, scenario]) {
    const begun = Date.now();
    const stage = new Stage(setting);
    try {
        await Promise.race([scenario(stage), timeout()]);
        print({ passed: name, ms: Date.now() - begun });
    } catch (error) {
        print({ failed: name, why: error.stack ?? String(error), ms: Date.now() - begun });
    } finally {
        await stage.close();
    }
}

async function runAll(group) {
    for (const scenario of Object.entries(group)) await run(scenario);
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
    // Two at a time, except scenarios that disrupt others, and those that check all requests and faults.
    await Promise.all([
        runAll({ ...moves, ...names, ...find, ...access, ...silence, ...news, ...windows, ...activity, ...begin }),
        runAll({ ...looks, ...docs, ...example, ...languages, ...overlay, ...admin }),
    ]);
    await runAll({ ...outages, ...exampleOutages });
    await runAll(faults);
} finally {
    await Promise.all(Object.values(browsers).map((browser) => browser.close()));
    rmSync(fonts, { recursive: true });
}
process.exit(0);
