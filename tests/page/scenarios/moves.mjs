/** Rows move when contributions arrive. */

import { check, eventually, same, shows } from "../stage.mjs";

const BOARD = "gifts/moves";
const HASH = `#/${BOARD}?window=day`;

function row(page, member) {
    return page.locator(`#rows [role=row][data-member="${member}"]`);
}

/** Renews a list at random, and returns what is wrong with it then. `seed` makes it repeatable. */
async function renewals(seed) {
    const { element, renew } = await import("/page/dom.js");
    let state = seed;
    const below = (n) => {
        state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
        return Math.floor(state / 2 ** 31 * n);
    };
    const list = document.body.appendChild(element("ul"));
    const found = [];
    for (let round = 0; round < 400; round += 1) {
        const keys = [..."abcdefgh"].map((key) => [below(100), key]).sort(([a], [b]) => a - b).map(([, key]) => key).slice(0, below(9));
        const made = (key) => element("li", { "data-key": key }, element("a", { href: `#${key}` }, key), element("b", {}, String(below(3))));
        const wanted = keys.map(made);
        const text = wanted.map((item) => item.outerHTML).join("");
        const before = new Map([...list.children].map((item) => [item.dataset.key, item]));
        const [selected, focused] = [list.children[below(list.children.length)], list.children[below(list.children.length)]];
        getSelection().empty();
        if (selected) getSelection().selectAllChildren(selected.querySelector("a"));
        focused?.querySelector("a").focus();
        renew(list, ...wanted);
        if (list.innerHTML !== text) found.push(`${round}: ${list.innerHTML} instead of ${text}`);
        for (const item of list.children) if ((before.get(item.dataset.key) ?? item) !== item) found.push(`${round}: another ${item.dataset.key}`);
        if (selected?.isConnected && String(getSelection()) !== selected.dataset.key) found.push(`${round}: selected: ${getSelection()}`);
        if (focused?.isConnected && !focused.contains(document.activeElement)) found.push(`${round}: the focus is lost`);
    }
    return found;
}

export const scenarios = {
    async "elements that are drawn again stay those of their keys, with focus and selection"(stage) {
        const page = await stage.open("#/gifts/moves?window=day");
        const seed = Date.now() % 2 ** 31;
        same(await page.evaluate(renewals, seed), [], `seed ${seed}`);
    },

    async "rows move when contributions arrive"(stage) {
        await stage.give(BOARD, ["ada", 500], ["ben", 400], ["cyd", 300], ["dan", 200], ["eve", 100]);
        const page = await stage.open(HASH);
        await shows(page, ["ada", "ben", "cyd", "dan", "eve"]);
        // The row of a member stays the same element, and moves with an animation.
        const seen = page.evaluate(() => {
            const eve = document.querySelector('#rows [data-member="eve"]');
            eve.dataset.mark = "the same";
            // By how many places is shown for a while only.
            const moved = eve.querySelector(".moved");
            new MutationObserver(() => { if (!moved.hidden) eve.dataset.moved = moved.textContent; })
                .observe(moved, { attributeFilter: ["hidden"] });
            return new Promise((resolve) => {
                // Observed at its start: a slow machine may not render a frame of it.
                const animate = eve.animate;
                eve.animate = function seen(...motion) {
                    const begun = animate.apply(this, motion);
                    const begin = begun.effect.getKeyframes()[0].transform;
                    const from = Number.parseFloat(/translateY\((.*)px\)/.exec(begin)?.[1]);
                    // Four rows up: a new row enters from nearby.
                    if (from > 150) resolve(from);
                    return begun;
                };
            });
        });
        await stage.give(BOARD, ["eve", 450]);
        await shows(page, ["eve", "ada", "ben", "cyd", "dan"]);
        await shows(page, await stage.order(BOARD), "order as the API has it");
        check(await seen < 400, `eve came from four rows below: ${await seen} px`);
        same(await row(page, "eve").getAttribute("data-mark"), "the same", "the row of eve");
        same(await row(page, "eve").locator(".number").innerText(), "550", "points");
        same(await row(page, "eve").getAttribute("data-medal"), "gold", "medal");
        same(await row(page, "ada").getAttribute("data-medal"), "silver", "medal");
        check((await row(page, "ada").locator(".gap").textContent()).startsWith("−50"), "the gap to the one above");
        same(await row(page, "eve").getAttribute("data-moved"), "4", "by how many places");
        await stage.give(BOARD, ["eve", -540], ["ben", 300]);
        await shows(page, ["ben", "ada", "cyd", "dan", "eve"]);
    },

    async "any order can change into any other"(stage) {
        const board = "gifts/shuffles";
        const members = Array.from({ length: 14 }, (_, at) => `m${at}`);
        await stage.give(board, ...members.map((member, at) => [member, 1000 - at]));
        const page = await stage.open(`#/${board}?window=day`);
        for (let round = 0; round < 6; round += 1) {
            const amounts = members.map((member, at) => [member, ((at * 7 + round * 5) % 14) * 1000 * (round + 1)]);
            await stage.give(board, ...amounts);
            await shows(page, await stage.order(board));
        }
        const medals = await page.$$eval("#rows .row", (rows) => rows.map((row) => row.dataset.medal));
        same(medals, ["gold", "silver", "bronze", "", "", "", "", "", "", ""], "medals");
        // The styles must match the order too.
        const colours = await page.$$eval("#rows .medal", (all) => all.map((medal) => getComputedStyle(medal).backgroundColor));
        same(new Set(colours).size, 4, `three medals and none: ${colours}`);
    },

    async "rows do not move if the user prefers reduced motion"(stage) {
        const board = "gifts/still";
        await stage.give(board, ["ada", 20], ["ben", 10]);
        const page = await stage.open(`#/${board}?window=day`, { reducedMotion: "reduce" });
        await shows(page, ["ada", "ben"]);
        await page.evaluate(() => {
            globalThis.moved = 0;
            const animate = Element.prototype.animate;
            Element.prototype.animate = function counted(...args) {
                globalThis.moved += 1;
                return animate.apply(this, args);
            };
        });
        await stage.give(board, ["ben", 90]);
        await shows(page, ["ben", "ada"]);
        same(await page.evaluate(() => globalThis.moved), 0, "animations");
    },

    async "a link restores the view"(stage) {
        await stage.give("gifts/link one", ["ada", 1], ["ben", 2]);
        const page = await stage.open("#/gifts/link%20one?window=week&n=50&member=ada");
        await shows(page, ["ben", "ada"]);
        same(await page.locator("h1").innerText(), "link one", "title");
        same(await page.locator("#windows input:checked").inputValue(), "week", "window");
        same(await page.locator("#depth").inputValue(), "50", "depth");
        await eventually("the member", () => page.locator("#found .place").isVisible());
        await page.locator("#windows input[value=all]").check();
        await eventually("the window in the address", async () => page.url().includes("window=all"));
        await page.goBack();
        await eventually("the window of before", () => page.locator("#windows input[value=week]").isChecked());
    },

    async "the first board is shown by default"(stage) {
        await stage.give("gifts/bar", ["ada", 1]);
        await stage.give("gifts/foo", ["ada", 2]);
        const { boards } = await stage.get("/v1/boards?kind=gifts&limit=1");
        const page = await stage.open("");
        await eventually("a title", async () => await page.locator("h1").innerText() === boards[0].subject);
    },

    async "a command is copied, or selected without a clipboard"(stage) {
        const copy = async (page) => {
            await page.locator("#card .copy").click();
            // It is shown for a while only.
            const said = await eventually("the result is shown", async () => {
                const text = await page.locator("#card .copy").innerText();
                return text === "Copy" ? null : text;
            });
            const command = await page.locator("#card code").textContent();
            const marked = await page.evaluate(() => String(getSelection()));
            return [said, marked === command];
        };
        const hash = "#/gifts/nobody-copies?window=day";
        const granted = await stage.open(hash, { permissions: ["clipboard-read", "clipboard-write"] });
        same(await copy(granted), ["Copied", false], "with a clipboard");
        const command = await granted.locator("#card code").textContent();
        same(await granted.evaluate(() => navigator.clipboard.readText()), command, "what was copied");
        const page = await stage.open(null);
        await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
        await page.goto(`${stage.url}/${hash}`);
        same(await copy(page), ["Press Ctrl+C", true], "without one");
    },
};
