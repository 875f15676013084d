/** Finding a member and its neighbours, with the keyboard. */

import { check, eventually, same, shows } from "../stage.mjs";

const BOARD = "gifts/crowd";
const HASH = `#/${BOARD}?window=day`;

async function crowd(stage) {
    await stage.give(BOARD, ...Array.from({ length: 60 }, (_, at) => [`viewer-${at + 1}`, 6000 - at * 100]));
}

async function near(page) {
    return page.locator("#found .near .rows .name").allTextContents();
}

export const scenarios = {
    async "a member can be found with the keyboard"(stage) {
        await crowd(stage);
        const page = await stage.open(HASH);
        await eventually("rows", async () => await page.locator("#rows .row").count() === 10);
        await page.keyboard.press("/");
        await page.keyboard.type("viewer-40");
        await page.keyboard.press("Enter");
        await eventually("the place", async () => await page.locator("#found .place").count() === 1
            && await page.locator("#found .place").innerText() === "#40");
        const neighbours = [37, 38, 39, 40, 41, 42, 43].map((at) => `viewer-${at}`);
        same(await near(page), neighbours, "neighbours");
        check((await page.locator("#found-said").textContent()).includes("rank 40 of 60"), "the rank must be announced");
        check((await page.locator("#found .standing").innerText()).includes("Ahead of 33.89%"), "percentile");
        same(await page.locator("#found .chase span").allInnerTexts(),
            ["100 points behind viewer-39", "100 points ahead of viewer-41"], "gaps");
        // It is updated while it is shown.
        await stage.give(BOARD, ["viewer-40", 150]);
        await eventually("the new place", async () => await page.locator("#found .place").innerText() === "#39");
        await eventually("the new neighbours", async () => (await near(page))[4] === "viewer-39");
        await page.locator("#member").focus();
        await page.keyboard.press("Escape");
        await eventually("nothing found", () => page.locator("#found").isHidden());
        same(await page.evaluate(() => document.activeElement.id), "member", "focus");
    },

    async "an absent member is reported as absent until it is on the board"(stage) {
        await crowd(stage);
        const page = await stage.open(`${HASH}&member=late`);
        await eventually("the absence is shown", async () =>
            await page.locator("#found .words").count() === 1
            && (await page.locator("#found .words").innerText()).startsWith("Not on this board today."));
        // Searching another window is offered only if there is one.
        same(await page.locator("#found .way").allInnerTexts(), ["Look in “All time”"], "ways on");
        await page.locator("#found .way").click();
        await eventually("the absence in the all-time window is shown", async () =>
            (await page.locator("#found .words").innerText()).startsWith("Not on this board at any time."));
        same(await page.locator("#found .way").allInnerTexts(), [], "ways on from all time");
        await stage.give(BOARD, ["late", 50]);
        await eventually("the place", () => page.locator("#found .place").isVisible());
    },

    async "all controls are reachable with Tab and show their focus"(stage) {
        await crowd(stage);
        const page = await stage.open(HASH, { reducedMotion: "reduce" });
        await eventually("rows", async () => await page.locator("#rows .row").count() === 10);
        await stage.give(BOARD, ["viewer-3", 5]);
        const reached = [];
        for (let step = 0; step < 24; step += 1) {
            await page.keyboard.press("Tab");
            const { name, ring } = await page.evaluate(() => {
                const at = document.activeElement;
                const drawn = at.type === "radio" ? at.nextElementSibling : at;
                return { name: at.id || at.name || at.className || at.type, ring: getComputedStyle(drawn).boxShadow };
            });
            if (name === "skip") check(await page.locator("#skip").isVisible(), "the way past is seen");
            else if (name) check(ring !== "none", `the focus on ${name} is seen`);
            reached.push(name);
        }
        for (const name of ["skip", "kind", "subject", "theme", "window", "depth", "name", "member", "submit"]) {
            check(reached.includes(name), `${name} is not reached: ${reached}`);
        }
    },

    async "the focus stays on a row that moves"(stage) {
        await stage.give("gifts/focus", ["ada", 30], ["ben", 20], ["cyd", 10]);
        const page = await stage.open("#/gifts/focus?window=day");
        await shows(page, ["ada", "ben", "cyd"]);
        await page.locator('#rows [data-member="cyd"] .name').focus();
        await stage.give("gifts/focus", ["cyd", 50]);
        await shows(page, ["cyd", "ada", "ben"]);
        same(await page.evaluate(() => document.activeElement.textContent), "cyd", "focus");
    },

    async "the focus moves to another row when its row leaves"(stage) {
        const board = "gifts/focus-2";
        const members = Array.from({ length: 11 }, (_, at) => `m${at}`);
        await stage.give(board, ...members.map((member, at) => [member, 1000 - at]));
        const page = await stage.open(`#/${board}?window=day`);
        await shows(page, members.slice(0, 10));
        await page.locator('#rows [data-member="m4"] .name').focus();
        await stage.give(board, ["m4", -900]);
        await shows(page, members.filter((member) => member !== "m4"));
        const focused = () => page.evaluate(() => document.activeElement.textContent);
        same(await focused(), "m5", "who stands there now");
        // After the last row there is none, and a new member takes it.
        await page.locator('#rows [data-member="m10"] .name').focus();
        await stage.give(board, ["m4", 2000]);
        await shows(page, ["m4", ...members.slice(0, 10).filter((member) => member !== "m4")]);
        same(await focused(), "m9", "who stands last");
    },

    async "all boards of a long list are reachable"(stage) {
        const subjects = Array.from({ length: 120 }, (_, at) => `hall-${String(at).padStart(3, "0")}`);
        await Promise.all(subjects.map((subject) => stage.give(`halls/${subject}`, ["ada", 1])));
        const page = await stage.open("#/halls/hall-000");
        await shows(page, ["ada"]);
        const offers = (count, ...more) => eventually(`${count} boards`, async () => {
            const wanted = JSON.stringify([...subjects.slice(0, count), ...more]);
            return JSON.stringify(await page.locator("#boards [role=option]").allTextContents()) === wanted;
        });
        await page.locator("#subject").click();
        await offers(50, "More boards…");
        await page.locator("#boards .more").click();
        await offers(100, "More boards…");
        await page.locator("#boards .more").click();
        await offers(120);
        await page.locator("#boards [role=option]").last().click();
        await eventually("the last board", async () => await page.locator("h1").innerText() === "hall-119");
    },

    async "a board can be chosen with the keyboard"(stage) {
        await crowd(stage);
        await stage.give("gifts/crowd-2", ["zoe", 1]);
        const page = await stage.open(HASH);
        await eventually("rows", async () => await page.locator("#rows .row").count() === 10);
        await page.locator("#subject").focus();
        await page.keyboard.type("crowd");
        let choices;
        await eventually("boards that begin so", async () => {
            choices = await page.locator("#boards [role=option]").allTextContents();
            return choices[0] === "crowd" && choices.includes("crowd-2");
        });
        const at = choices.indexOf("crowd-2");
        for (let step = 0; step <= at; step += 1) await page.keyboard.press("ArrowDown");
        await page.keyboard.press("Enter");
        await shows(page, ["zoe"]);
        // Any other name can be typed, also of a board that does not exist.
        await page.locator("#subject").focus();
        await page.keyboard.type("brand-new");
        await page.keyboard.press("Enter");
        await eventually("an empty board", async () => (await page.locator("#card").innerText()).includes("No members yet"));
        check((await page.locator("#card code").innerText()).includes('"board":"gifts/brand-new"'), "the command names the board");
        await stage.give("gifts/brand-new", ["ada", 30]);
        await shows(page, ["ada"]);
        check(await page.locator("#card").isHidden(), "the invitation goes");
    },
};
