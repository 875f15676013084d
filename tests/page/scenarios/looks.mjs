/** All forms of the page, checked with axe, with screenshots. */

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

import { FONTS } from "../fonts.mjs";
import { check, eventually, same, says, VIEWS } from "../stage.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const NAMES = [
    "Ada Okafor", "ben.w", "Élodie Marchand", "KiloWatt", "🦊 Foxy", "محمد الأحمد", "Nova", "grace.h", "the_real_sam", "Zoë",
    "péter", "mira", "jonas", "Lark", "user-4711", "a-name-that-is-far-longer-than-any-column-will-ever-be-on-a-phone",
];

async function full(stage) {
    const amounts = Array.from({ length: 60 }, (_, at) =>
        [NAMES[at] ?? `viewer-${1000 + at * 37}`, Math.round(48_000 * 0.93 ** at) + 7]);
    await stage.give("gifts/room-8842", ...amounts);
    await stage.give("races/monza", ...NAMES.map((name, at) => [name, { laps: 40 - Math.floor(at / 2), seconds: 1200 + at * 7 }]));
}

/** The views: the hash, and a preparation. */
const FORMS = {
    ten: ["#/gifts/room-8842?window=day", "#rows .row:nth-child(10)"],
    fifty: ["#/gifts/room-8842?window=day&n=50", "#rows .row:nth-child(50)"],
    found: ["#/gifts/room-8842?window=day&member=Zo%C3%AB", "#found .near .row:nth-child(7)"],
    fields: ["#/races/monza?window=all", "#rows .row:nth-child(10)"],
    empty: ["#/gifts/nobody-yet?window=day", "#card .podium"],
    absent: ["#/gifts/nobody-yet?window=day&member=nobody", "#found .words"],
};

/** The views that contain the elements of all others. */
const HELD = ["found", "fields", "absent"];

/** Widths on both sides of each change of layout; 320 is the minimum of WCAG. */
const WIDTHS = [2560, 1280, 1024, 700, 390, 360, 320];

/** Boards with short and long numbers, gaps and ranks, and a member in the middle of each. */
const BOARDS = [
    "#/replies/hot?member=mira", "#/replies/wide-gaps?member=mira", "#/races/monza?window=all&member=mira",
    "#/gifts/heaps?member=mira", "#/gifts/room-8842?window=day&member=mira", "#/gifts/masses?member=viewer-1500",
];

/** Returns the texts in rows that are truncated or overlap others. A name may be truncated if it stays unique. */
function cut() {
    const nameMin = 64;
    const texts = ".medal, .number, .name bdi, .gap > :first-child, time";
    const isOut = (inner, outer) => inner.left < outer.left - 0.5 || inner.right > outer.right + 0.5;
    const isOver = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 2 && b.top < a.bottom - 2;
    const found = [];
    const tell = (what, text) => found.push(`${innerWidth} px: ${what}: ${text.textContent}`);
    for (const row of document.querySelectorAll("[role=rowgroup] > .row")) {
        const whole = row.getBoundingClientRect();
        const seen = [];
        for (const text of row.querySelectorAll(texts)) {
            if (text.textContent === "" || !text.checkVisibility()) continue;
            const name = text.closest(".name");
            const range = document.createRange();
            range.selectNodeContents(text);
            const own = range.getBoundingClientRect();
            const cell = (name ?? text.closest("[role=cell]")).getBoundingClientRect();
            const isSeen = name !== null && cell.width >= nameMin;
            if (isOut(cell, whole) || (!isSeen && isOut(own, cell))) tell("cut", text);
            if (own.top < whole.top - 1 || own.bottom > whole.bottom + 1) tell("higher than its row", text);
            const shown = name === null ? own : cell;
            if (seen.some((other) => isOver(shown, other))) tell("over another", text);
            seen.push(shown);
        }
    }
    return found;
}

/** Whether the tables are laid out for this width of the window. */
function isLaidOut(width) {
    const isMeasured = (sizer) => {
        const table = sizer.previousElementSibling;
        const around = table.id === "table" ? document.getElementById("board") : table;
        const style = getComputedStyle(around);
        const inner = around.getBoundingClientRect().width
            - ["paddingLeft", "paddingRight", "borderLeftWidth", "borderRightWidth"].reduce((sum, side) => sum + Number.parseFloat(style[side]), 0);
        return Math.abs(Number.parseFloat(sizer.style.width) - inner) < 0.1;
    };
    return innerWidth === width && [...document.querySelectorAll(".sizer")].every(isMeasured);
}

/** Returns the fonts of the rows of a page. */
async function families(page) {
    const session = await page.context().newCDPSession(page);
    await session.send("DOM.enable");
    await session.send("CSS.enable");
    const { root } = await session.send("DOM.getDocument");
    const { nodeId } = await session.send("DOM.querySelector", { nodeId: root.nodeId, selector: "#rows .row .number" });
    const { fonts } = await session.send("CSS.getPlatformFontsForNode", { nodeId });
    await session.detach();
    return fonts.map(({ familyName }) => familyName);
}

async function look(stage, view) {
    const page = await stage.open("", { viewport: VIEWS[view], reducedMotion: "reduce" });
    const found = [];
    for (const [form, [hash, there]] of Object.entries(FORMS)) {
        await page.goto(`${stage.url}/${hash}`);
        await page.locator(there).waitFor();
        await says(page, "live");
        for (const scheme of ["dark", "light"]) {
            await page.emulateMedia({ colorScheme: scheme });
            await page.screenshot({ path: `${stage.folder}/${form}-${view}-${scheme}.png`, fullPage: form !== "fifty" });
            if (!HELD.includes(form)) continue;
            found.push(...(await faults(page)).map((fault) => `${form}, ${scheme}: ${fault}`));
        }
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (wide > 0) found.push(`${form}: the page is ${wide} px wider than the window`);
    }
    check(found.length === 0, found.join("\n"));
}

/** Returns the faults of a page in dark and light mode, with a screenshot of each. */
export async function looked(stage, page, form) {
    const found = [];
    for (const scheme of ["dark", "light"]) {
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
        await page.screenshot({ path: `${stage.folder}/${form}-${scheme}.png` });
        found.push(...(await faults(page)).map((fault) => `${form}, ${scheme}: ${fault}`));
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) found.push(`${form}: the page is ${wide} px wider than the window`);
    return found;
}

/** Returns the serious and critical faults that axe finds. */
export async function faults(page) {
    if (!await page.evaluate(() => "axe" in globalThis)) await page.evaluate(AXE);
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
    return violations
        .filter(({ impact }) => ["serious", "critical"].includes(impact))
        .map(({ id, help, nodes }) => `${id} (${help}): ${nodes.map(({ html, any }) => `${html} ${any[0]?.message ?? ""}`).join("; ")}`);
}

export const scenarios = {
    async "axe finds no serious fault on a desktop, in dark and light mode"(stage) {
        await full(stage);
        await look(stage, "desktop");
    },

    async "axe finds no serious fault on a wide screen, in dark and light mode"(stage) {
        await full(stage);
        await look(stage, "wide");
    },

    async "axe finds no serious fault on a phone, in dark and light mode"(stage) {
        await full(stage);
        await look(stage, "phone");
    },

    async "numbers are not truncated with any number of fields"(stage) {
        await full(stage);
        await stage.give("replies/hot", ...NAMES.map((name, at) =>
            [name, { agree: 292 - Math.floor(at / 2), comments: 1790 - at, last_reply: 1_700_000_000_000 + at * 86_400_000 }]));
        await stage.give("gifts/heaps", ...NAMES.map((name, at) => [name, 9_007_199_254_740_991 - at * 123_456_789_012]));
        await stage.give("replies/wide-gaps", ...NAMES.map((name, at) =>
            [name, { agree: 5, comments: 9, last_reply: 9_007_199_254_740_991 - at * 1_234_567_890_123 }]));
        for (const start of [0, 1000]) {
            await stage.give("gifts/masses", ...Array.from({ length: 1000 }, (_, at) => [`viewer-${start + at}`, 99_000 - start - at]));
        }
        const found = [];
        for (const [font, { family }] of Object.entries(FONTS)) {
            const page = await stage.open(null, { font, reducedMotion: "reduce" });
            const forms = new Set();
            for (const hash of BOARDS) {
                await page.goto(`${stage.url}/${hash}`);
                await page.locator("#found .near .row:nth-child(7)").waitFor();
                await page.locator("#rows .row:nth-child(10)").waitFor();
                same(await families(page), [family], "fonts");
                for (const width of WIDTHS) {
                    await page.setViewportSize({ width, height: 860 });
                    await eventually(`a layout for ${width} px`, () => page.evaluate(isLaidOut, width));
                    found.push(...(await page.evaluate(cut)).map((text) => `${font}, ${hash}: ${text}`));
                    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
                    if (wide > 0) found.push(`${font}, ${hash}: the page is ${wide} px wider than ${width} px`);
                    for (const table of ["#table", ".table.near"]) forms.add(await page.locator(table).first().getAttribute("data-form"));
                    const name = hash.split(/[/?]/)[2];
                    await page.screenshot({ path: `${stage.folder}/${name}-${width}-${font}.png`, fullPage: width < 800 });
                }
            }
            same([...forms].sort(), ["columns", "lines", "near", "near-tall", "stacked", "tall"], `forms that were looked at, ${font}`);
        }
        check(found.length === 0, found.join("\n"));
    },

    async "the chosen colour scheme is remembered"(stage) {
        const page = await stage.open("#/gifts/room-8842", { colorScheme: "light" });
        const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
        await page.locator("#theme").click();
        await eventually("dark", async () => await ground() === "dark");
        await page.reload();
        check(await ground() === "dark", "dark after a reload");
        check(await page.locator("#theme").getAttribute("aria-pressed") === "true", "the switch says so");
    },
};
