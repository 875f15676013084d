/**
 * Makes `docs/live-page.webp`, the moving picture of the README: `node tests/page/picture.mjs URL`, with `megaboard serve
 * --demo` at URL that has filled its stage. Requires Chromium, `img2webp` and fonts for the names of the demo
 * (`apt-get install webp fonts-noto-core fonts-noto-color-emoji fonts-noto-cjk`).
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

const FRAMES = 48;
const FRAME_MS = 125;
const VIEW = { width: 1200, height: 800 };
/** How long the page is shown before the first frame: until its rows and the member are there. */
const SETTLED_MS = 3_000;
const QUALITY = "55";
/** A README loads it on each visit. */
const BYTES_MAX = 1_500_000;

const VIEWED = "/#/gifts/main-stage?window=all&n=10&member=Mila";
const picture = fileURLToPath(new URL("../../docs/live-page.webp", import.meta.url));

/** Takes the screenshots, at even intervals. Returns their paths, and the milliseconds that each was shown. */
async function frames(url, folder) {
    const browser = await chromium.launch({
        executablePath: process.env.MEGABOARD_CHROMIUM ?? "/usr/bin/chromium",
        args: ["--headless", "--no-sandbox", "--disable-gpu"],
    });
    const page = await browser.newPage({ viewport: VIEW, colorScheme: "dark" });
    await page.goto(new URL(VIEWED, url).href);
    await page.waitForTimeout(SETTLED_MS);
    const taken = [];
    const begun = Date.now();
    for (let n = 0; n < FRAMES; n += 1) {
        await page.waitForTimeout(Math.max(0, begun + n * FRAME_MS - Date.now()));
        const path = join(folder, `${String(n).padStart(3, "0")}.png`);
        await page.screenshot({ path });
        taken.push({ path, at: Date.now() });
    }
    await browser.close();
    return taken.map(({ path, at }, n) => ({ path, ms: (taken[n + 1]?.at ?? at + FRAME_MS) - at }));
}

const [url] = process.argv.slice(2);
if (!url) throw new Error("the URL of a running `megaboard serve --demo` is missing");
const folder = mkdtempSync(join(tmpdir(), "megaboard-picture-"));
try {
    const shown = (await frames(url, folder)).flatMap(({ path, ms }) => ["-d", String(ms), path]);
    const options = ["-loop", "0", "-lossy", "-q", QUALITY, "-m", "6"];
    execFileSync("img2webp", [...options, ...shown, "-o", picture], { stdio: "inherit" });
} finally {
    rmSync(folder, { recursive: true });
}
const { size } = statSync(picture);
if (size > BYTES_MAX) throw new Error(`the picture has ${size} bytes, more than ${BYTES_MAX}`);
console.log(`${picture}: ${size} bytes`);
