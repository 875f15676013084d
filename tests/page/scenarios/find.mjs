/** Finding a member and its neighbours, with the keyboard. */

import { check, eventually, held, same, shows } from "../stage.mjs";

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

    async "a member is found by the beginning of its id or name, without regard to case"(stage) {
        const board = "gifts/names";
        await stage.give(board, ["Fatima", 90], ["u-77", 80], ["fatima-2", 70], ...Array.from({ length: 40 }, (_, at) => [`v-${at}`, 60 - at]), ["zoe", 1]);
        await stage.profile("gifts", "u-77", { name: "Ånna Lee" });
        await stage.profile("gifts", "v-30", { name: "Ben" });
        const page = await stage.open(`#/${board}?window=day`);
        await eventually("rows", async () => await page.locator("#rows .row").count() === 10);
        const finds = async (text, member) => {
            await page.locator("#member").fill(text);
            await page.keyboard.press("Enter");
            await eventually(`${text} is ${member}`, () => new URLSearchParams(page.url().split("?")[1]).get("member") === member);
            await eventually("the member", async () => await page.locator("#found .place").count() === 1);
        };
        // Whole ids come before beginnings, and the better rank before the other.
        for (const [text, member] of [
            ["fatima", "Fatima"], ["FATI", "Fatima"], ["fatima-", "fatima-2"], ["fatima-2", "fatima-2"], ["ånna lee", "u-77"],
            ["ÅNN", "u-77"], ["ben", "v-30"], ["zoe", "zoe"], ["ZO", "zoe"],
        ]) await finds(text, member);
        await page.locator("#member").fill("nobody");
        await page.keyboard.press("Enter");
        await eventually("nobody", async () => (await page.locator("#found .words").allInnerTexts())[0]?.startsWith("Not on this board today."));
        check((await page.locator("#found .words").innerText()).includes("among the best 100"), "how far it looks");
    },

    async "what is typed on the page stays when an answer arrives late"(stage) {
        const board = "gifts/typed";
        await stage.give(board, ["ada", 3]);
        const page = await stage.open(null);
        // The first window is shown as empty, and another one is looked for.
        await page.route(/\/v1\/boards\/gifts\/typed\/(top|stream)\?.*window=hour/, async (route) => {
            const top = { ...await stage.get(`/v1/boards/${board}/top?window=hour`), members: 0, entries: [] };
            if (route.request().url().includes("/top")) return route.fulfill({ json: top });
            return route.fulfill({ contentType: "text/event-stream", body: `event: board\ndata: ${JSON.stringify(top)}\n\n` });
        });
        for (const id of ["subject", "member"]) {
            const release = await held(page, /\/top\?.*\bn=1$/);
            await page.goto("about:blank");
            await page.goto(`${stage.url}/#/${board}`);
            await eventually("an empty board", () => page.locator("#card").isVisible());
            await page.locator(`#${id}`).focus();
            await page.keyboard.type("some");
            release();
            await shows(page, ["ada"]);
            await page.keyboard.type("body");
            same(await page.locator(`#${id}`).inputValue(), "somebody", id);
        }
    },

    async "a link with a name that a URL drops reaches no other route"(stage) {
        await stage.give("gifts/dots", ["ada", 3]);
        const page = await stage.open("#/gifts/dots?window=day", { ignored: /status of 400/ });
        await shows(page, ["ada"]);
        const asked = [];
        page.on("request", (request) => asked.push(new URL(request.url()).pathname));
        await page.evaluate(() => { location.hash = "#/gifts/dots?window=day&member=.."; });
        await eventually("no such member", async () => /\.\./.test((await page.locator("#found .words").allInnerTexts())[0] ?? ""));
        await page.evaluate(() => { location.hash = "#/gifts/..?window=day"; });
        await eventually("no such board", async () => (await page.locator("#card").innerText()).includes("is not a name"));
        const others = asked.filter((path) => !path.startsWith("/v1/boards/gifts/dots") && path !== "/page/icon.svg");
        same(others, [], "other routes");
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
