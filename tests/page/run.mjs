/**
 * Runs scenarios: `node run.mjs FOLDER`. Prints its port on 127.0.0.1. Each connection runs one scenario, and sends lines
 * of JSON both ways: first comes `{"run": NAME, "url": URL}`, with a server at URL for this scenario only. While it runs
 * this requests to kill and start that server with `{"ask": "kill"}` and `{"ask": "start"}`, and waits for a line in
 * reply. The last line is `{"passed": true}` or `{"failed": TEXT}`. After `{"list": true}` the names of all scenarios are
 * sent instead.
 *
 * Each browser has one font, the wide one unless a scenario selects the narrow one. Screenshots are saved in FOLDER. It
 * ends with its standard input.
 */

import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
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
import { scenarios as example } from "./scenarios/example.mjs";
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

/** All scenarios: `[NAME, FUNCTION]`. */
const SCENARIOS = [
    access, activity, admin, begin, docs, example, find, languages, looks, moves, names, news, outages, overlay, silence, windows,
].flatMap(Object.entries);

const [folder] = process.argv.slice(2);
const fonts = mkdtempSync(join(tmpdir(), "page-fonts-"));
const executablePath = process.env.MEGABOARD_CHROMIUM ?? "/usr/bin/chromium";
const launches = new Map();

/** Resolves to the browser with this font, which is launched once. */
function browser(font) {
    if (!launches.has(font)) {
        launches.set(font, chromium.launch({ executablePath, args: FLAGS, env: only(FONTS[font], join(fonts, font)) }));
    }
    return launches.get(font);
}

/** Fails after the maximum duration of a scenario. */
async function timeout() {
    await new Promise((resolve) => setTimeout(resolve, SCENARIO_MS_MAX).unref());
    throw new Error(`the scenario did not end within ${SCENARIO_MS_MAX} ms`);
}

async function run(name, url, ask) {
    const [, scenario] = SCENARIOS.find(([other]) => other === name);
    const example = await host(new URL("../../docs/typescript/", import.meta.url), url);
    const stage = new Stage({ browser, url, example: example.origin, folder, ask });
    try {
        await Promise.race([scenario(stage), timeout()]);
        stage.checkPages();
        return { passed: true };
    } catch (error) {
        return { failed: error.stack ?? String(error) };
    } finally {
        await stage.close();
        example.close();
    }
}

const server = createServer(async (connection) => {
    const send = (message) => connection.write(`${JSON.stringify(message)}\n`);
    const lines = createInterface({ input: connection })[Symbol.asyncIterator]();
    const { list, run: name, url } = JSON.parse((await lines.next()).value);
    const ask = async (what) => {
        send({ ask: what });
        await lines.next();
    };
    send(list ? SCENARIOS.map(([other]) => other) : await run(name, url, ask));
    connection.end();
});

mkdirSync(folder, { recursive: true });
server.listen(0, "127.0.0.1");
await once(server, "listening");
console.log(server.address().port);
await once(process.stdin.resume(), "end");
await Promise.allSettled([...launches.values()].map(async (launch) => (await launch).close()));
rmSync(fonts, { recursive: true });
process.exit(0);
