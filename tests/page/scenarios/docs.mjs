/** The page of the contract. */

import { check, eventually, same, VIEWS } from "../stage.mjs";
import { faults } from "./looks.mjs";

/** The message that a browser logs for a response with an error, or for none. */
const FAILED = /^Failed to load resource: /;

/** What people type, and an operation that is the first or one of the first results. The last one is misspelt. */
const SEARCHES = {
    ban: ["hide", 1],
    prize: ["top", 1],
    "remove player": ["remove_member", 1],
    "how many": ["count", 1],
    "live updates": ["stream", 1],
    "who is first": ["top", 1],
    reset: ["delete_board", 1],
    import: ["contribute", 1],
    "rank of one user": ["member", 1],
    page: ["range", 1],
    "winner of yesterday": ["top", 1],
    unban: ["show", 1],
    "delete my account": ["erase", 3],
    leaderboard: ["top", 1],
    "what rank would I have": ["rank_of_points", 1],
    nickname: ["profile", 2],
    "delete kind without": ["delete_kind", 1],
    "below_rank": ["remove_members", 1],
    health: ["alive", 1],
    strea: ["stream", 2],
    "give points": ["contribute", 1],
    "send points": ["contribute", 1],
    "increase score": ["contribute", 1],
    score: ["contribute", 1],
    "subtract points": ["contribute", 1],
    points: ["rank_of_points", 1],
    "high score": ["top", 1],
    "how do I delete a board": ["delete_board", 1],
    "remove the board": ["delete_board", 1],
    "delete a member": ["remove_member", 1],
    "delete kind": ["delete_kind", 1],
    duplicate: ["contribute", 1],
    idempotent: ["contribute", 1],
    "idempotency key": ["contribute", 2],
    retry: ["contribute", 1],
    undo: ["set_member", 1],
    "undo a ban": ["show", 1],
    "remvoe plyer": ["remove_member", 1],
};

async function opened(stage, hash = "", options = {}) {
    const page = await stage.open(`docs${hash}`, options);
    await page.locator("#contents a").first().waitFor();
    return page;
}

/** Opens the form of an operation, and returns its section. */
async function tried(page, id) {
    const section = page.locator(`#${id}`);
    await section.locator(".try > summary").click();
    await section.locator(".try form").waitFor();
    return section;
}

function answerOf(section) {
    return section.locator(".answer").innerText();
}

async function answered(section, text) {
    await eventually(`the answer has ${text}`, async () => (await answerOf(section)).includes(text));
}

function commandOf(section) {
    return section.locator(".side .command code").innerText();
}

async function searched(page, text) {
    await page.locator("#sift").fill(text);
    return page.$$eval("#hits-list [role=option]", (all) => all.map((it) => it.querySelector(".hit").textContent));
}

/** Returns the operations of the contract as `{ id, group, path, method, summary }`. */
async function operationsOf(stage) {
    const { paths } = await stage.get("/openapi.json");
    return Object.entries(paths).flatMap(([path, item]) => Object.entries(item).map(([method, it]) =>
        ({ id: it.operationId, group: it.tags[0], path, method, summary: it.summary })));
}

const ids = (page, selector) => page.$$eval(selector, (all) => all.map((it) => it.id || it.hash.slice(1)));

export const scenarios = {
    async "each group of the contract has a page with all its operations"(stage) {
        const { tags } = await stage.get("/openapi.json");
        const operations = await operationsOf(stage);
        const page = await opened(stage);
        const listed = await ids(page, ".group-card li a");
        same([...listed].sort(), operations.map(({ id }) => id).sort(), "operations on the start page");
        for (const { name, description } of tags) {
            const own = operations.filter(({ group }) => group === name).map(({ id }) => id);
            check((await page.locator("main").innerText()).includes(description), `${name} has its description`);
            await page.locator("#groups h2 a", { hasText: new RegExp(`^${name}$`) }).click();
            await page.locator(".route").first().waitFor();
            same(await page.locator("#title").innerText(), name, "title");
            same((await ids(page, ".route")).sort(), [...own].sort(), `operations of ${name}`);
            same(await ids(page, "#contents ul ul a"), await ids(page, ".route"), `contents of ${name}`);
            check(await page.evaluate(() => document.activeElement.id === "routes"), "the focus is on the new page");
            await page.goBack();
            await page.locator(".group-card").first().waitFor();
        }
    },

    async "an address of an operation opens its group"(stage) {
        const page = await opened(stage);
        for (const { id, group } of await operationsOf(stage)) {
            await page.evaluate((hash) => { location.hash = hash; }, id);
            await page.locator(`section#${id}`).waitFor();
            same(await page.locator("#title").innerText(), group, `group of ${id}`);
            same(await ids(page, "#contents [aria-current=location]"), [id], "the current operation");
            check(await page.evaluate((own) => document.activeElement.id === own, id), `the focus is on ${id}`);
        }
        const other = await opened(stage, "#rank_of_values");
        await eventually("the operation is in view", () => other.locator("#rank_of_values h2").evaluate((title) => {
            const { top } = title.getBoundingClientRect();
            return top >= 0 && top < innerHeight / 2;
        }));
        await other.evaluate(() => { location.hash = "no-such-thing"; });
        await other.locator("#unknown", { hasText: "no-such-thing" }).waitFor();
        await other.locator(".group-card").first().waitFor();
    },

    async "an operation is described completely"(stage) {
        const page = await opened(stage, "#member");
        const member = page.locator("#member");
        await member.locator("summary", { hasText: "Problems" }).click();
        await member.locator("li .status", { hasText: "404" }).waitFor();
        const text = await member.innerText();
        const path = "/v1/boards/{kind}/{subject}/members/{member}";
        for (const part of ["Read a member's position", path, "target", "read", "404", "not-ranked"]) {
            check(text.includes(part), `${part}: ${text}`);
        }
    },

    async "a command of the contract's page works"(stage) {
        await stage.give("gifts/room-8842", ["u1", 30], ["u2", 20]);
        const page = await opened(stage, "#top");
        const command = await commandOf(page.locator("#top"));
        const [, url] = command.match(/^curl '([^']+)'$/) ?? [];
        check(url?.startsWith(`${stage.url}/v1/boards/gifts/room-8842/top?`), command);
        same((await fetch(url)).status, 200, command);
    },

    async "schemas and nested schemas can be opened"(stage) {
        const page = await opened(stage, "#member");
        const schema = page.locator("#member .schema").first();
        await schema.locator("summary").first().click();
        const name = page.locator(":scope > .name", { hasText: /^above$/ });
        const above = schema.locator("li", { has: name }).first();
        await above.locator("summary").first().focus();
        await page.keyboard.press("Enter");
        await eventually("the neighbour's gap", async () => (await above.innerText()).includes("gap"));
    },

    async "operations are found by English words"(stage) {
        const operations = await operationsOf(stage);
        const page = await opened(stage, "#/kinds");
        for (const [text, [id, within]] of Object.entries(SEARCHES)) {
            const { summary, path } = operations.find((operation) => operation.id === id);
            const found = (await searched(page, text)).slice(0, within);
            check(found.some((one) => one.startsWith(summary + path)), `${text}: ${JSON.stringify(found)} has no ${id}`);
        }
        const said = () => page.locator("#nothing").innerText();
        check((await said()).includes("remove player"), "the corrected words are shown");
        await searched(page, "ban");
        same(await page.locator("#hit-0 mark").first().innerText(), "Hide", "the word that was found");
        same(await searched(page, "qwertz xyzzy"), [], "results");
        check((await said()).includes("No operation has “qwertz xyzzy”"), await said());
        await page.locator("#nothing button", { hasText: "prize" }).click();
        check((await page.locator("#hit-0").innerText()).includes("Read the best n members"), "a hint is searched for");
        await page.locator("#hit-0").click();
        await page.locator("section#top").waitFor();
    },

    async "the search box is used with the keyboard"(stage) {
        const page = await opened(stage);
        await page.keyboard.press("/");
        await page.keyboard.type("ban");
        const active = () => page.locator("#sift").getAttribute("aria-activedescendant");
        await eventually("the first result is chosen", async () => await active() === "hit-0");
        await page.keyboard.press("ArrowDown");
        same(await active(), "hit-1", "the next result");
        await page.keyboard.press("ArrowUp");
        await page.keyboard.press("ArrowUp");
        same(await active(), `hit-${await page.locator("#hits-list [role=option]").count() - 1}`, "the last result");
        await page.keyboard.press("Escape");
        check(!await page.locator("#hits").isVisible(), "Escape closes the results");
        same(await page.locator("#sift").inputValue(), "ban", "the text stays");
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("Enter");
        await page.locator("section#hide").waitFor();
        check(await page.evaluate(() => document.activeElement.id === "hide"), "the focus is on the operation");
        await page.keyboard.press("/");
        await page.keyboard.press("Escape");
        await page.keyboard.press("Escape");
        same(await page.locator("#sift").inputValue(), "", "a second Escape clears the text");
    },

    async "operations are tried on the contract's page"(stage) {
        const page = await opened(stage, "#contribute");
        const contribute = await tried(page, "contribute");
        const body = { board: "gifts/tried", member: "it's me", points: 9_007_199_254_740_991 };
        await contribute.locator("textarea").fill(JSON.stringify(body));
        check((await commandOf(contribute)).includes("\"member\":\"it'\\''s me\""), await commandOf(contribute));
        await contribute.locator(".send").click();
        await page.locator("dialog .send").click();
        await answered(contribute, "200 OK");
        await answered(contribute, '"applied": 1');
        await page.evaluate(() => { location.hash = "top"; });
        const top = await tried(page, "top");
        await top.locator("#try-top-subject").fill("tried");
        await top.locator("#try-top-n").fill("1");
        await top.locator("#try-top-fresh").selectOption("true");
        const url = `${stage.url}/v1/boards/gifts/tried/top?n=1&window=day&fresh=true`;
        same(await commandOf(top), `curl '${url}'`, "the command follows the form");
        await top.locator("#try-top-n").press("Enter");
        await answered(top, '"points": 9007199254740991');
        const text = await answerOf(top);
        for (const part of ["200 OK", " ms", "bytes", "etag", "x-request-id", '"member": "it\'s me"']) {
            check(text.includes(part), `${part}: ${text}`);
        }
    },

    async "what was typed into a form stays while other groups are shown"(stage) {
        await stage.give("gifts/kept", ["u1", 3]);
        const page = await opened(stage, "#top");
        const top = await tried(page, "top");
        await top.locator("#try-top-subject").fill("kept");
        await top.locator(".send").click();
        await answered(top, "200 OK");
        await page.evaluate(() => { location.hash = "delete_board"; });
        const board = await tried(page, "delete_board");
        await board.locator(".send").click();
        await page.locator("dialog").waitFor();
        await page.goBack();
        await page.locator("dialog").waitFor({ state: "detached" });
        same(await top.locator("#try-top-subject").inputValue(), "kept", "the form");
        await answered(top, "200 OK");
    },

    async "numbers of a tried operation are shown as they were written"(stage) {
        const page = await opened(stage, "#top");
        const json = '{"large":12345678901234567890,"exact":1.50,"power":1e3,"text":"\\u0041\\"","none":[],"some":[{}]}';
        await page.route("**/top?**", (route) => route.fulfill({ contentType: "application/json", body: json }));
        const top = await tried(page, "top");
        await top.locator(".send").click();
        await answered(top, "200");
        const shown = await top.locator(".answer pre").innerText();
        same(shown.replaceAll(/\s/g, ""), json, "the response");
    },

    async "problems and failures of a tried operation are shown"(stage) {
        await stage.give("gifts/tried-problems", ["u1", 3]);
        const page = await opened(stage, "#member", { ignored: FAILED });
        const member = await tried(page, "member");
        await member.locator("#try-member-subject").fill("tried-problems");
        await member.locator("#try-member-member").fill("nobody");
        await member.locator(".send").click();
        await answered(member, "404 Not Found");
        const problem = await member.locator(".failure").innerText();
        for (const part of ["Member not ranked", "not-ranked", "nobody"]) check(problem.includes(part), problem);
        await member.locator("#try-member-member").fill("u1");
        await member.locator("#try-member-target").fill("zero");
        await member.locator(".send").click();
        await answered(member, "400 Bad Request");
        await page.route("**/v1/**", (route) => route.abort());
        await member.locator(".send").click();
        await answered(member, "No response");
        await answered(member, "Check that the server is running");
        const before = stage.requests.length;
        await member.locator("#try-member-subject").fill("..");
        await member.locator(".send").click();
        check(await member.locator("#try-member-subject:invalid").count() === 1, "a subject that a URL drops is refused");
        check((await commandOf(member)).includes("/v1/boards/gifts/%7Bsubject%7D/members/"), "nor is the command one of another route");
        await member.locator("#try-member-subject").fill("");
        await member.locator(".send").click();
        check(await member.locator("#try-member-subject:invalid").count() === 1, "a path needs all of its parts");
        same(stage.requests.slice(before).filter((url) => url.includes("/members/u1?target")), [], "requests");
    },

    async "a tried operation that changes data asks first"(stage) {
        await stage.give("gifts/tried-to-delete", ["u1", 3]);
        const page = await opened(stage, "#delete_board");
        const changes = await page.$$eval(".route:has(.changes)", (all) => all.map((it) => it.id));
        same(changes, ["settle_board", "delete_board"], "operations that are marked");
        const board = await tried(page, "delete_board");
        await board.locator("#try-delete_board-subject").fill("tried-to-delete");
        const deletions = [];
        page.on("request", (request) => {
            if (request.method() === "DELETE") deletions.push(new URL(request.url()).pathname);
        });
        for (const way of ["Cancel", "Escape"]) {
            await board.locator(".send").click();
            await page.locator("dialog", { hasText: "/v1/boards/gifts/tried-to-delete" }).waitFor();
            check(await page.evaluate(() => document.activeElement.textContent === "Cancel"), "Cancel has the focus");
            if (way === "Escape") await page.keyboard.press("Escape");
            else await page.locator("dialog button", { hasText: way }).click();
            await page.locator("dialog").waitFor({ state: "detached" });
        }
        same(deletions, [], "requests before the confirmation");
        same(await stage.order("gifts/tried-to-delete"), ["u1"], "members");
        await board.locator(".send").click();
        await page.locator("dialog .send").click();
        await answered(board, "204 No Content");
        same(deletions, ["/v1/boards/gifts/tried-to-delete"], "requests");
        same(await stage.order("gifts/tried-to-delete"), [], "members");
    },

    async "a tried stream shows its events until it is stopped"(stage) {
        await stage.give("gifts/tried-stream", ["u1", 3]);
        const page = await opened(stage, "#stream");
        const stream = await tried(page, "stream");
        await stream.locator("#try-stream-subject").fill("tried-stream");
        await stream.locator("#try-stream-member").fill("");
        check((await commandOf(stream)).startsWith("curl -N "), "the command does not buffer");
        await stream.locator(".send").click();
        await answered(stream, "1 event, open");
        await stage.give("gifts/tried-stream", ["u2", 77]);
        await answered(stream, '"member": "u2"');
        await stream.locator("button", { hasText: "Stop" }).click();
        await answered(stream, "Stopped after");
        check((await answerOf(stream)).includes('"member": "u2"'), "the events stay");
        check(!await stream.locator("button", { hasText: "Stop" }).isVisible(), "Stop is hidden");
    },

    async "long responses and streams of a tried operation are cut"(stage) {
        const page = await opened(stage, "#top");
        const body = JSON.stringify({ entries: Array.from({ length: 20_000 }, (_, at) => ({ rank: at + 1 })) });
        await page.route("**/top?**", (route) => route.fulfill({ contentType: "application/json", body }));
        const top = await tried(page, "top");
        await top.locator(".send").click();
        await answered(top, "The first 131,072 characters are shown.");
        check(!(await answerOf(top)).includes('"rank": 20000'), "the end is not shown");
        const events = Array.from({ length: 30 }, (_, at) => `id: ${at}\nevent: board\ndata: {"at":${at}}\n\n`).join("");
        await page.route("**/stream?**", (route) => route.fulfill({ contentType: "text/event-stream", body: events }));
        await page.evaluate(() => { location.hash = "stream"; });
        const stream = await tried(page, "stream");
        await stream.locator(".send").click();
        await answered(stream, "The first 20 events are shown.");
        same(await stream.locator(".events li").count(), 20, "events");
    },

    async "the key of the tab is sent by a tried operation"(stage) {
        const page = await opened(stage, "#top", { ignored: FAILED });
        const seen = [];
        await page.route("**/v1/**", (route) => {
            const { authorization = null } = route.request().headers();
            seen.push(authorization);
            const problem = { type: "unauthorized", title: "The request has no valid key", status: 401 };
            return authorization
                ? route.fulfill({ json: { ok: true } })
                : route.fulfill({ status: 401, contentType: "application/problem+json", body: JSON.stringify(problem) });
        });
        const top = await tried(page, "top");
        await top.locator(".send").click();
        await answered(top, "Enter a key with the scope read above.");
        await top.locator("#try-top-key").fill("mb_the-key");
        await top.locator(".send").click();
        await answered(top, '"ok": true');
        same(seen, [null, "Bearer mb_the-key"], "keys");
        const range = await tried(page, "range");
        same(await range.locator("#try-range-key").inputValue(), "mb_the-key", "the key in another form");
        for (const section of [top, range]) {
            const command = await commandOf(section);
            check(command.includes('"authorization: Bearer $KEY"') && !command.includes("mb_the-key"), command);
        }
        same(await page.evaluate(() => [localStorage.length, sessionStorage.length]), [0, 1], "where the key is kept");
    },

    async "axe finds no serious fault in the contract's page"(stage) {
        await stage.give("gifts/room-8842", ["u1", 30], ["u2", 20]);
        const found = [];
        const look = async (page, form, view) => {
            for (const scheme of ["dark", "light"]) {
                await page.emulateMedia({ colorScheme: scheme });
                await page.screenshot({ path: `${stage.folder}/docs-${form}-${view}-${scheme}.png` });
                found.push(...(await faults(page)).map((fault) => `${form}, ${view}, ${scheme}: ${fault}`));
            }
            const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            if (wide > 0) found.push(`${form}, ${view}: the page is ${wide} px wider than the window`);
        };
        const views = { ...VIEWS, wide: { width: 2560, height: 1300 } };
        for (const [view, viewport] of Object.entries(views)) {
            const page = await opened(stage, "", { viewport, reducedMotion: "reduce" });
            await look(page, "start", view);
            await searched(page, "rank of one user");
            await look(page, "found", view);
            await searched(page, "xyzzy");
            await look(page, "nothing", view);
            await page.keyboard.press("Escape");
            await page.evaluate(() => { location.hash = "top"; });
            const top = await tried(page, "top");
            await top.locator(".send").click();
            await answered(top, "200 OK");
            await page.$$eval("#top .text summary", (all) => all.forEach((it) => { it.parentElement.open = true; }));
            await look(page, "top", view);
            await page.evaluate(() => { location.hash = "contribute"; });
            const contribute = await tried(page, "contribute");
            await contribute.locator(".send").click();
            await page.locator("dialog").waitFor();
            await look(page, "confirm", view);
        }
        const narrow = await opened(stage, "#/reading", { viewport: { width: 320, height: 740 }, font: "narrow" });
        for (const id of await ids(narrow, ".route")) await tried(narrow, id);
        await look(narrow, "forms", "narrow");
        check(found.length === 0, found.join("\n"));
    },
};
