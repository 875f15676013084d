/** The admin page, on the real server, which has no keys: those are simulated by intercepting requests. */

import { check, eventually, held, same, VIEWS } from "../stage.mjs";
import { looked } from "./looks.mjs";

const HOSTILE = "<img src=x onerror=alert(1)>\"'&amp;";

const REFUSED = /^Failed to load resource: the server responded with a status of (401|403|404|503)/;

const KEYS = [
    { name: "ops", scope: "admin", expired: false },
    {
        name: "<b>game</b>", scope: "write", kinds: ["gifts", "races"], requests_per_second: 200, burst: 400,
        expires_at: "2026-01-01T00:00:00.000000Z", expired: true,
    },
];

async function open(stage, hash, options) {
    const page = await stage.open(null, options);
    await page.goto(`${stage.url}/admin${hash}`);
    return page;
}

function path(...parts) {
    return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/** Presses the button that opens a dialog, and returns the dialog. */
async function asked(page, button, within = "main") {
    await page.locator(within).getByRole("button", { name: button, exact: true }).first().click();
    const dialog = page.locator("dialog");
    await dialog.waitFor();
    return dialog;
}

/** Leaves the dialog with Escape, and checks that the focus is back and nothing was said. */
async function cancelled(page, dialog, button) {
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    same(await page.evaluate(() => document.activeElement.textContent), button, "the focus after Escape");
}

/** Waits until the focus is on an action in the parts that match. */
function focused(page, within) {
    return eventually(`the focus is in ${within}`, () =>
        page.evaluate((selector) => document.activeElement.matches(`${selector} .act`), within));
}

async function says(page, text) {
    await eventually(`the result “${text}”`, async () => (await page.locator(".result").innerText()).includes(text));
}

/** Returns the points of a member in the window of all time, or null. */
async function points(stage, board, member) {
    const response = await fetch(`${stage.url}/v1/boards/${board}/lookup?window=all`, {
        method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ members: [member] }),
    });
    return (await response.json()).entries[0].points ?? null;
}

async function hiddenIn(stage, member) {
    return (await stage.get(`/v1/members/${encodeURIComponent(member)}/hidden`)).hidden_in;
}

/** Refuses requests with this problem, except for those that `isAllowed`. */
async function refuse(page, problem, isAllowed) {
    await page.route("**/v1/**", (route) => {
        if (!isAllowed(route.request())) {
            return route.fulfill({ status: problem.status, contentType: "application/problem+json", body: JSON.stringify(problem) });
        }
        // The real server has no keys.
        const { authorization, ...headers } = route.request().headers();
        return route.continue({ headers });
    });
}

export const scenarios = {
    async "the admin page shows whether the server is ready, and what it does"(stage) {
        const page = await open(stage, "", { ignored: REFUSED });
        const tile = (label) => page.locator(".tile", { has: page.getByRole("heading", { name: label, exact: true }) });
        await eventually("ready", async () => await tile("Status").locator(".badge").innerText() === "Ready");
        const { store } = await stage.get("/readyz");
        check((await tile("Status").innerText()).includes(`Store: ${store}`), "the store");
        const info = await (await fetch(`${stage.url}/metrics`)).text();
        const [, version] = /megaboard_build_info\{version="([^"]+)"/.exec(info);
        same(await tile("Version").locator(".figure").innerText(), version, "the version");
        check(/ of /.test(await tile("Memory").innerText()), "memory has a limit");
        await eventually("a rate between two readings", async () =>
            /^[\d.,]+$/.test(await tile("Requests per second").locator(".figure").innerText()));
        const problem = { type: "unavailable", title: "Unavailable", status: 503, detail: "the journal has failed: disk" };
        await page.route("**/readyz", (route) => route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify(problem) }));
        await eventually("not ready, and why", async () =>
            /Not ready\s+the journal has failed: disk/.test(await tile("Status").innerText()));
        await page.route("**/metrics", (route) => route.fulfill({ body: `${info}\nmegaboard_redis_up 0\n` }));
        await page.locator(".warnings", { hasText: "A Redis node" }).waitFor();
        await page.route("**/metrics", (route) => route.fulfill({ status: 503, body: "" }));
        await eventually("no warnings without a reading", async () => await page.locator(".warnings").textContent() === "");
    },

    async "the admin page lists the kinds with their settings, and their boards"(stage) {
        await stage.give("gifts/ops-busy", ["ada", 1]);
        await Promise.all([1, 2, 3].map((at) => stage.give(`gifts/ops-list-${at}`, ["ada", at])));
        const page = await open(stage, "#/kinds");
        const races = page.getByRole("row", { name: /races/ });
        for (const text of ["laps", "seconds", "lowest first", "best", "Week", "All time"]) {
            check((await races.innerText()).includes(text), `races: ${text}`);
        }
        await page.getByRole("link", { name: "gifts" }).click();
        await page.getByText("All settings as JSON").waitFor();
        await eventually("the focus is on the view", () => page.evaluate(() => document.activeElement.id === "view"));
        await page.getByText("All settings as JSON").click();
        const kind = (await stage.get("/v1/kinds")).kinds.find((it) => it.kind === "gifts");
        same(JSON.parse(await page.locator("pre").innerText()), kind, "the settings");
        // The busiest ones, read again and again. A rate decays: contributions go on until it is seen.
        const busiest = page.getByRole("row", { name: /ops-busy/ });
        await eventually("a rate", async () => {
            await stage.give("gifts/ops-busy", ...Array.from({ length: 200 }, (_, at) => [`m${at}`, 1]));
            return Number((await busiest.locator(".number").innerText()).replaceAll(",", "")) > 100;
        });
        await page.getByRole("link", { name: "By subject" }).click();
        await page.getByLabel("Begins with").fill("ops-list-");
        const names = () => page.locator("tbody tr td:first-child").allInnerTexts();
        const expected = ["ops-list-1", "ops-list-2", "ops-list-3"];
        await eventually("the prefix", async () => JSON.stringify(await names()) === JSON.stringify(expected));
        const live = page.getByRole("row", { name: /ops-list-2/ }).getByRole("link", { name: "Live page" });
        same(await live.evaluate((link) => link.href), `${stage.url}/#/gifts/ops-list-2`, "the live page");
    },

    async "what is typed on the admin page stays, whatever is drawn again"(stage) {
        await Promise.all([1, 2].map((at) => stage.give(`gifts/ops-typed-${at}`, ["ada", at])));
        const page = await open(stage, "#/kinds/gifts");
        await page.getByRole("row", { name: /ops-typed-1/ }).waitFor();
        const names = () => page.locator("tbody tr td:first-child").allInnerTexts();
        const expected = ["ops-typed-1", "ops-typed-2"];
        const shows = () => eventually("the boards", async () => JSON.stringify((await names()).sort()) === JSON.stringify(expected));
        // No answer arrives while a person types.
        const release = await held(page, "**/v1/kinds");
        await page.getByRole("link", { name: "By subject" }).click();
        await page.locator("#prefix").fill("ops-ty");
        await page.locator("#prefix").press("End");
        await page.keyboard.type("ped");
        await release();
        await shows();
        same(await page.locator("#prefix").inputValue(), "ops-typed", "what was typed");
        same(await page.evaluate(() => document.activeElement.id), "prefix", "the focus");
        check(page.url().endsWith("#/kinds/gifts?order=subject&prefix=ops-typed"), `the address: ${page.url()}`);
        await page.getByRole("link", { name: "Busiest" }).click();
        await shows();
        await page.reload();
        await shows();
        same(await page.locator("#prefix").inputValue(), "ops-typed", "after a reload");
        await page.goBack();
        await page.locator(".tabs [aria-current]", { hasText: "By subject" }).waitFor();
        await shows();
        await page.goForward();
        // The list is read again and again: the focus and the selection stay on their board.
        await page.locator(".tabs [aria-current]", { hasText: "Busiest" }).waitFor();
        const own = page.getByRole("row", { name: /ops-typed-2/ });
        await own.getByRole("link", { name: "ops-typed-2" }).focus();
        await own.locator("bdi").evaluate((text) => getSelection().selectAllChildren(text));
        await stage.give("gifts/ops-typed-3", ["ada", 1]);
        await page.getByRole("row", { name: /ops-typed-3/ }).waitFor();
        same(await page.evaluate(() => [document.activeElement.textContent, String(getSelection())]), ["ops-typed-2", "ops-typed-2"], "focus and selection");
        // A view whose parts arrive later does not take the focus from its input.
        const arrive = await held(page, "**/v1/hidden*", async () => await page.locator("#find-member").count() > 0);
        await page.getByRole("link", { name: "Members" }).first().click();
        await page.locator("#find-member").fill("ops-");
        await arrive();
        await page.getByText("No kind hides a member.").or(page.locator(".chips")).first().waitFor();
        await page.keyboard.type("typed");
        same(await page.locator("#find-member").inputValue(), "ops-typed", "what was typed into the search");
    },

    async "the search of the admin page opens no page for a member that does not exist"(stage) {
        await stage.give("gifts/ops-known", ["Fatima", 3]);
        const page = await open(stage, "#/members");
        await page.locator("#find-member").fill("fatima-nobody");
        await page.keyboard.press("Enter");
        await page.getByText("No board ranks fatima-nobody in a current window, and no kind hides it.").waitFor();
        check(page.url().endsWith("#/members"), "the search stays");
        same(await page.locator("#find-member").inputValue(), "fatima-nobody", "and what was typed");
        const found = await looked(stage, page, "admin-nobody");
        // It may be on boards of earlier windows, or be hidden before it comes.
        await page.getByRole("link", { name: "Open its page anyway" }).click();
        await page.locator("h1", { hasText: "fatima-nobody" }).waitFor();
        await page.goBack();
        await page.locator("#find-member").fill("Fatima");
        await page.keyboard.press("Enter");
        await page.getByRole("row", { name: /ops-known/ }).waitFor();
        check(found.length === 0, found.join("\n"));
    },

    async "a name that a URL drops reaches no other route from the admin page"(stage) {
        const asked = [];
        for (const hash of ["#/members/..", "#/members/.", "#/boards/gifts/..", "#/boards/../gifts"]) {
            const page = await open(stage, "");
            await page.locator(".tile").first().waitFor();
            page.on("request", (request) => asked.push(new URL(request.url()).pathname));
            await page.evaluate((to) => { location.hash = to; }, hash);
            await page.locator(".card", { hasText: "is not a name" }).waitFor();
            await page.context().close();
        }
        const known = ["/page/icon.svg", "/v1/kinds", "/v1/hidden", "/v1/members/anybody/hidden", "/readyz", "/metrics"];
        same([...new Set(asked)].filter((path) => !known.includes(path)), [], "other routes");
    },

    async "all boards of a kind are reached page by page on the admin page"(stage) {
        const boards = Array.from({ length: 60 }, (_, at) => `paged-${String(at).padStart(2, "0")}`);
        for (const board of ["ops-first", ...boards]) await stage.give(`replies/${board}`, ["ada", { agree: 1 }]);
        const page = await open(stage, "#/kinds/replies?order=subject");
        await page.getByLabel("Begins with").fill("paged-");
        const names = () => page.locator("tbody tr td:first-child").allInnerTexts();
        const shows = (expected) => eventually(`${expected.length} boards`, async () => JSON.stringify(await names()) === JSON.stringify(expected));
        await shows(boards.slice(0, 50));
        await page.getByRole("button", { name: "More boards…" }).click();
        await shows(boards);
        check(await page.getByRole("button", { name: "More boards…" }).isHidden(), "there are no more");
    },

    async "a board is deleted on the admin page after its name was typed"(stage) {
        await stage.give("gifts/ops-delete", ["ada", 3]);
        const page = await open(stage, path("boards", "gifts", "ops-delete"));
        await page.getByRole("row", { name: /All time/ }).waitFor();
        let dialog = await asked(page, "Delete…");
        await cancelled(page, dialog, "Delete…");
        dialog = await asked(page, "Delete…");
        const send = dialog.getByRole("button", { name: "Delete the board" });
        check(await send.isDisabled(), "nothing was typed");
        await page.keyboard.type("gifts/ops-delet");
        check(await send.isDisabled(), "not the whole name was typed");
        await page.keyboard.press("Enter");
        same(await points(stage, "gifts/ops-delete", "ada"), 3, "before the confirmation");
        await page.keyboard.type("e");
        await page.keyboard.press("Enter");
        await says(page, "gifts/ops-delete was deleted.");
        same(await points(stage, "gifts/ops-delete", "ada"), null, "after the confirmation");
        check(page.url().endsWith("#/kinds/gifts"), "the kind is shown");
    },

    async "a refused change is shown with its reason on the admin page"(stage) {
        await stage.give("gifts/ops-gone", ["ada", 3]);
        const page = await open(stage, path("boards", "gifts", "ops-gone"), { ignored: REFUSED });
        const dialog = await asked(page, "Delete…");
        await fetch(`${stage.url}/v1/boards/gifts/ops-gone`, { method: "DELETE" });
        await page.keyboard.type("gifts/ops-gone");
        await dialog.getByRole("button", { name: "Delete the board" }).click();
        await says(page, "This has failed.");
        const { detail } = await (await fetch(`${stage.url}/v1/boards/gifts/ops-gone`, { method: "DELETE" })).json();
        await says(page, detail);
    },

    async "a member is hidden and shown again on the admin page"(stage) {
        await stage.give("gifts/ops-hide", ["hide-me", 7], ["ben", 3]);
        const page = await open(stage, "#/members");
        await page.locator("#find-member").fill("hide-me");
        await page.keyboard.press("Enter");
        const gifts = page.locator(".panel", { has: page.getByRole("heading", { name: "gifts" }) });
        await gifts.getByRole("row", { name: /ops-hide/ }).waitFor();
        check((await gifts.getByRole("row", { name: /ops-hide/ }).innerText()).includes("#1"), "the rank");
        const within = ".panel:has(h2 bdi:text-is('gifts'))";
        await cancelled(page, await asked(page, "Hide…", within), "Hide…");
        same(await hiddenIn(stage, "hide-me"), [], "after Escape");
        const dialog = await asked(page, "Hide…", within);
        await dialog.getByRole("button", { name: "Hide the member" }).click();
        await says(page, "gifts hides hide-me.");
        same([await hiddenIn(stage, "hide-me"), await stage.order("gifts/ops-hide")], [["gifts"], ["ben"]], "hidden");
        await gifts.getByText("Boards of this kind do not show the member.").waitFor();
        await page.getByRole("link", { name: "Members" }).first().click();
        await page.locator(".hidden-of", { hasText: "gifts" }).getByRole("link", { name: "hide-me" }).click();
        await (await asked(page, "Show again…", within)).getByRole("button", { name: "Show the member" }).click();
        await says(page, "gifts shows hide-me again.");
        same([await hiddenIn(stage, "hide-me"), await stage.order("gifts/ops-hide")], [[], ["hide-me", "ben"]], "shown");
    },

    async "a standing is set and removed on the admin page"(stage) {
        await stage.give("gifts/ops-set", ["ada", 1200], ["ben", 3]);
        const page = await open(stage, path("boards", "gifts", "ops-set"));
        await page.locator("#member-here").fill("ben");
        await page.keyboard.press("Enter");
        await page.locator(".found").getByRole("row", { name: /All time/ }).waitFor();
        const near = await page.locator(".found").getByRole("link", { name: "Neighbours" }).evaluate((link) => link.href);
        same(near, `${stage.url}/#/gifts/ops-set?member=ben`, "the neighbours");
        let dialog = await asked(page, "Set…");
        await page.keyboard.type("30");
        same(await dialog.getByRole("row", { name: /All time/ }).locator("td").allInnerTexts(), ["All time", "3", "30"], "old and new");
        await cancelled(page, dialog, "Set…");
        same(await points(stage, "gifts/ops-set", "ben"), 3, "after Escape");
        dialog = await asked(page, "Set…");
        const send = dialog.getByRole("button", { name: "Set the standing" });
        for (const wrong of ["", "x", "1.5", "9007199254740992"]) {
            await dialog.getByLabel("Points").fill(wrong);
            check(await send.isDisabled(), `${wrong} is no value`);
        }
        await dialog.getByLabel("Points").fill("5000");
        await dialog.getByLabel("Window").selectOption("All time");
        same(await dialog.locator("tbody tr").count(), 1, "windows that change");
        await send.click();
        await says(page, "ben on gifts/ops-set was set to 5,000.");
        await focused(page, ".found");
        same(await stage.order("gifts/ops-set", 10, "all"), ["ben", "ada"], "all time");
        same(await stage.order("gifts/ops-set", 10, "day"), ["ada", "ben"], "the day is as it was");
        await cancelled(page, await asked(page, "Remove…"), "Remove…");
        await (await asked(page, "Remove…")).getByRole("button", { name: "Remove the member" }).click();
        await says(page, "ben was removed from gifts/ops-set.");
        same(await stage.order("gifts/ops-set", 10, "all"), ["ada"], "removed");
        await page.locator(".found").getByText("Not on this board").waitFor();
        await focused(page, ".found");
    },

    async "a standing of several fields is set on the admin page"(stage) {
        await stage.give("races/ops-set", ["ada", { laps: 3, seconds: 90 }]);
        const page = await open(stage, path("members", "ada"));
        const row = page.getByRole("row", { name: /ops-set/ }).filter({ hasText: "3 / 90" });
        await row.getByRole("button", { name: "Set…" }).click();
        const dialog = page.locator("dialog");
        await dialog.getByLabel("Laps").fill("4");
        await dialog.getByLabel("Seconds").fill("100");
        await dialog.getByRole("button", { name: "Set the standing" }).click();
        await says(page, "ada on races/ops-set was set to 4 / 100.");
        await focused(page, "tr:has([href='#/boards/races/ops-set'])");
        const top = await stage.get("/v1/boards/races/ops-set/top?fresh=true&window=all");
        same(top.entries[0].values, { laps: 4, seconds: 100 }, "the standing");
    },

    async "a member is erased on the admin page after a look at its boards"(stage) {
        const boards = ["gifts/ops-erase-1", "gifts/ops-erase-2", "races/ops-erase"];
        for (const board of boards) {
            const amount = board.startsWith("races") ? { laps: 1, seconds: 1 } : 5;
            await stage.give(board, ["erase-me", amount], ["stays", amount]);
        }
        await fetch(`${stage.url}/v1/members/erase-me/hidden?kind=replies`, { method: "PUT" });
        const page = await open(stage, path("members", "erase-me"));
        await page.getByRole("row", { name: /ops-erase-1/ }).waitFor();
        let dialog = await asked(page, "Erase…");
        same(await dialog.locator("li").allInnerTexts(), ["gifts: 2 boards", "races: 1 board"], "where it is");
        check((await dialog.innerText()).includes("hidden in replies"), "where it is hidden");
        await cancelled(page, dialog, "Erase…");
        same(await points(stage, "gifts/ops-erase-1", "erase-me"), 5, "after Escape");
        dialog = await asked(page, "Erase…");
        check(await dialog.getByRole("button", { name: "Erase the member" }).isDisabled(), "nothing was typed");
        await page.keyboard.type("erase-me");
        // The first request stops early, as it does with many boards.
        const sent = [];
        await page.route("**/v1/members/erase-me*", async (route) => {
            if (route.request().method() !== "DELETE") return route.continue();
            const after = new URL(route.request().url()).searchParams.get("after");
            sent.push(after);
            if (after !== null) return route.continue();
            return route.fulfill({ json: { boards: 40_960, erased: 1, next: "gifts/" } });
        });
        await page.keyboard.press("Enter");
        await says(page, "erase-me was erased from 4 boards.");
        same(sent, [null, "gifts/"], "requests");
        for (const board of boards) same(await stage.order(board, 10, "all"), ["stays"], board);
        same(await hiddenIn(stage, "erase-me"), [], "not hidden any more");
    },

    async "names of others are text on the admin page"(stage) {
        await stage.give(`gifts/z${HOSTILE}`, [HOSTILE, 5]);
        await fetch(`${stage.url}/v1/members/${encodeURIComponent(HOSTILE)}/hidden?kind=halls`, { method: "PUT" });
        const page = await open(stage, path("boards", "gifts", `z${HOSTILE}`));
        same(await page.locator("h1 bdi").innerText(), `z${HOSTILE}`, "the board");
        const dialog = await asked(page, "Delete…");
        check((await dialog.innerText()).includes(`gifts/z${HOSTILE}`), "the dialog");
        await page.keyboard.press("Escape");
        await page.goto(`${stage.url}/admin${path("members")}`);
        await page.locator(".chips").getByText(HOSTILE).click();
        await page.getByRole("row").getByText(HOSTILE).waitFor();
        same(await page.locator("h1 bdi").innerText(), HOSTILE, "the member");
        await page.goto(`${stage.url}/admin#/audit`);
        await page.locator(".audit bdi").getByText("<img src").first().waitFor();
        same(await page.locator("main :is(img, script)").count(), 0, "elements of names");
    },

    async "the audit log is read on the admin page, page by page"(stage) {
        await stage.give("gifts/ops-audit", ["ada", 3]);
        await fetch(`${stage.url}/v1/boards/gifts/ops-audit`, { method: "DELETE" });
        await fetch(`${stage.url}/v1/boards/gifts/ops-audit`, { method: "DELETE" });
        const page = await open(stage, "#/audit", { ignored: REFUSED });
        const rows = page.getByRole("row", { name: /DELETE \/v1\/boards\/gifts\/ops-audit/ });
        await rows.first().waitFor();
        const outcomes = await rows.locator("td:last-child").allInnerTexts();
        same(outcomes, ["refused: 404", "204"], "outcomes, the newest first");
        // An operation whose end is on the page before its beginning, and one without an end.
        const at = "2026-11-20T14:02:22.123000Z";
        const begun = { event: "begun", key: "ops", address: "10.0.0.7", method: "DELETE", path: "/v1/members/u%201" };
        const pages = {
            null: { entries: [{ at, operation: "b", event: "ended", status: 200, details: { boards: 1200, erased: 3, next: null } }, { at, operation: "c", ...begun }], next: "x-1" },
            "x-1": { entries: [{ at, operation: "b", ...begun }, { at, event: "refused", status: 412, unlisted: 7, method: "PUT", path: "/v1/kinds/a" }], next: null },
        };
        await page.route("**/v1/audit*", (route) => {
            const asked = new URL(route.request().url()).searchParams;
            if (asked.get("writers") !== "true") return route.fallback();
            return route.fulfill({ json: pages[asked.get("before")] });
        });
        await page.getByRole("link", { name: "Writers" }).click();
        await page.getByRole("button", { name: "Older operations" }).click();
        await eventually("all pages", async () => await page.locator("tbody tr").count() === 3);
        same(await page.locator("tbody td:last-child").allInnerTexts(),
            ["no end recorded", "200 boards: 1,200, erased: 3", "refused: 412 7 more were not recorded"], "outcomes");
        same(await page.locator("tbody td:nth-child(4)").first().innerText(), "DELETE /v1/members/u 1", "a readable path");
        check(await page.getByRole("button", { name: "Older operations" }).isHidden(), "there are no more");
        const problem = { type: "no-audit-log", title: "No audit log", status: 404, detail: "none" };
        await page.route("**/v1/audit*", (route) => route.fulfill({ status: 404, contentType: "application/problem+json", body: JSON.stringify(problem) }));
        await page.getByRole("link", { name: "Admins" }).click();
        await page.getByText("This server writes no audit log.").waitFor();
    },

    async "the keys are listed on the admin page without their secrets"(stage) {
        const page = await open(stage, "#/keys");
        await page.getByText("No keys are configured").waitFor();
        await page.route("**/v1/keys", (route) => route.fulfill({ json: { keys: KEYS } }));
        await page.reload();
        const cells = page.locator("tbody tr").last().locator("td");
        await eventually("the keys", async () => await page.locator("tbody tr").count() === 2);
        const [name, scope, kinds, rate, ends] = await cells.allInnerTexts();
        same([name, scope, kinds.split(/\s+/), rate], ["<b>game</b>", "write", ["gifts", "races"], "200 per second, 400 at once"], "a key");
        check(/2026|2025/.test(ends) && ends.includes("expired"), ends);
    },

    async "the admin page requests a key, and says if it is not an admin's"(stage) {
        const page = await stage.open(null, { ignored: REFUSED });
        const seen = [];
        const needed = { type: "unauthorized", title: "Unauthorized", status: 401, detail: "authorization: is missing" };
        await refuse(page, needed, (request) => {
            seen.push(request.url());
            return request.headers().authorization === "Bearer mb_admin";
        });
        await page.goto(`${stage.url}/admin#/kinds`);
        await page.getByRole("heading", { name: "API key required" }).waitFor();
        check(await page.locator("#sections").isHidden(), "there is nothing to choose");
        const scope = { type: "forbidden", title: "Forbidden", status: 403, detail: "key \"reader\" has scope read; admin is required" };
        await page.unrouteAll();
        await refuse(page, scope, (request) => request.headers().authorization === "Bearer mb_admin");
        await page.getByLabel("API key").fill("mb_reader");
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "A key with scope admin is required" }).waitFor();
        check((await page.locator(".card").innerText()).includes(scope.detail), "the reason");
        await page.getByLabel("API key").fill("mb_admin");
        await page.keyboard.press("Enter");
        await page.getByRole("row", { name: /races/ }).waitFor();
        check(seen.every((url) => !url.includes("mb_")), "the key must not be in a URL");
        same(await page.evaluate(() => [localStorage.length, sessionStorage.length]), [0, 1], "where the key is kept");
        await page.getByRole("button", { name: "Forget the key" }).click();
        await page.getByLabel("API key").waitFor();
        same(await page.evaluate(() => sessionStorage.length), 0, "the key is forgotten");
    },

    async "the live page links to the admin page unless all kinds are public and there is no key"(stage) {
        await stage.give("gifts/ops-link", ["ada", 1]);
        const page = await stage.open("#/gifts/ops-link");
        await page.locator("#admin").waitFor();
        same(await page.locator("#admin").evaluate((link) => link.href), `${stage.url}/admin`, "the link");
        const { kinds } = await stage.get("/v1/kinds");
        await page.route("**/v1/kinds", (route) => route.fulfill({ json: { kinds: kinds.map((kind) => ({ ...kind, public_read: true })) } }));
        await page.reload();
        await page.locator("#rows .row").first().waitFor();
        check(await page.locator("#admin").isHidden(), "a visitor of public kinds sees no link");
    },

    async "axe finds no serious fault in the admin page"(stage) {
        const member = "a-name-that-is-far-longer-than-any-column-will-ever-be-on-a-phone-and-has-no-space";
        await stage.give("gifts/ops-looks", [member, 9_007_199_254_740_991], ["ben", 3]);
        await stage.give("replies/ops-looks", [member, { agree: 3, comments: 2, last_reply: 9_007_199_254_740_991 }]);
        await fetch(`${stage.url}/v1/members/${member}/hidden?kind=races`, { method: "PUT" });
        const views = {
            overview: ["", ".spark"], kinds: ["#/kinds", "tbody tr"], kind: ["#/kinds/gifts", "tbody tr"], members: ["#/members", ".chips"],
            board: [path("boards", "gifts", "ops-looks"), "tbody tr"], member: [path("members", member), ".panel:last-of-type tbody tr"],
            audit: ["#/audit", "tbody tr"], keys: ["#/keys", "tbody tr"],
        };
        const found = [];
        for (const [view, viewport] of Object.entries(VIEWS)) {
            const page = await stage.open(null, { viewport });
            await page.route("**/v1/keys", (route) => route.fulfill({ json: { keys: KEYS } }));
            for (const [name, [hash, there]] of Object.entries(views)) {
                await page.goto("about:blank");
                await page.goto(`${stage.url}/admin${hash}`);
                await page.locator(there).first().waitFor();
                found.push(...await looked(stage, page, `admin-${name}-${view}`));
            }
            await page.goto(`${stage.url}/admin${path("members", member)}`);
            await page.getByRole("row", { name: /ops-looks/ }).first().waitFor();
            await asked(page, "Set…");
            found.push(...await looked(stage, page, `admin-set-${view}`));
            await page.keyboard.press("Escape");
            await asked(page, "Erase…");
            found.push(...await looked(stage, page, `admin-erase-${view}`));
        }
        check(found.length === 0, found.join("\n"));
    },

    async "the admin page is shown in the browser's language"(stage) {
        await stage.give("gifts/ops-tongues", ["ada", 3]);
        const titles = { "zh-CN": "概览", "es-ES": "Resumen", "ja-JP": "概要" };
        for (const [locale, title] of Object.entries(titles)) {
            const page = await stage.open(null, { locale, viewport: VIEWS.phone });
            for (const hash of ["", "#/kinds/gifts", path("boards", "gifts", "ops-tongues"), path("members", "ada"), "#/audit"]) {
                await page.goto("about:blank");
                await page.goto(`${stage.url}/admin${hash}`);
                await page.locator(".panel").first().waitFor();
                if (hash === "") same(await page.locator("h1").innerText(), title, locale);
                const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
                check(wide <= 0, `${locale}, ${hash}: ${wide} px wider than the window`);
            }
        }
    },
};
