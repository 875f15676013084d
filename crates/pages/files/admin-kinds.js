/** The kinds with their settings, and the boards of one kind: the busiest ones, or all by subject. */

import * as admin from "./admin-api.js";
import { badge, button, facts, hashOf, link, liveUrl, panel, rate, row, table } from "./admin-parts.js";
import { pretty, textOf } from "./docs-json.js";
import { element, foreign } from "./dom.js";
import { moment } from "./format.js";
import { number } from "./numbers.js";
import { windowLabel } from "./windows.js";
import { word } from "./words.js";

/** Boards of a list: of the busiest ones, and of a page by subject. */
const BOARDS = 50;

/** The pause between two lists of the busiest boards. */
const READ_MS = 3000;

/** The pause in typing after which boards are requested. */
const TYPING_MS = 200;

function fieldText({ name, order, op }) {
    const how = [op, word(`order.${order}`)].filter((part) => part !== undefined);
    return element("span", { class: "item" }, foreign(name), element("small", {}, how.join(", ")));
}

function isPublic({ public_read: open }) {
    return badge(word(open ? "admin.public" : "admin.private"), open ? "warn" : "");
}

function windowsOf(kind) {
    return kind.windows.map((window) => element("span", { class: "item" }, windowLabel(window)));
}

/** Returns a list of all kinds, or shows a kind. */
export function kinds(page) {
    const [name] = page.parts;
    const kind = page.kinds.find((known) => known.kind === name);
    if (name === undefined) return all(page);
    if (kind !== undefined) return one(page, kind);
    page.begin(word("kind.unknown"), { above: [[word("admin.kinds"), hashOf("kinds")]] });
    return undefined;
}

function all(page) {
    page.begin(word("admin.kinds"), { about: word("admin.kinds.about") });
    if (page.kinds.length === 0) {
        page.add(element("p", { class: "none" }, word("kinds.none")));
        return;
    }
    const keys = ["kind", "admin.fields", "admin.mode", "admin.rank", "admin.windows", "admin.zone", "admin.reading"];
    const heads = keys.map((key) => word(key));
    page.add(element("section", { class: "panel" }, table(word("admin.kinds"), heads, page.kinds.map((kind) => [
        element("strong", {}, link(hashOf("kinds", kind.kind), kind.kind)),
        element("div", { class: "items" }, ...kind.fields.map(fieldText)),
        kind.mode, kind.rank, element("div", { class: "items" }, ...windowsOf(kind)), kind.time_zone, isPublic(kind),
    ]))));
}

async function one(page, kind) {
    page.begin(foreign(kind.kind), { above: [[word("admin.kinds"), hashOf("kinds")]], name: kind.kind });
    const json = element("details", {}, element("summary", {}, word("admin.json")),
        element("pre", { tabindex: "0", role: "region", "aria-label": word("admin.json") },
            textOf(pretty(JSON.stringify(kind)))));
    page.add(element("section", { class: "panel" }, facts([
        [word("admin.fields"), element("div", { class: "items" }, ...kind.fields.map(fieldText))],
        [word("admin.mode"), kind.mode], [word("admin.rank"), kind.rank], [word("admin.ties"), kind.ties],
        [word("admin.windows"), element("div", { class: "items" }, ...windowsOf(kind))],
        [word("admin.zone"), kind.time_zone], [word("admin.reading"), isPublic(kind)],
    ]), json));
    await boards(page, kind.kind);
}

/** Shows the boards of a kind, as the address says: by activity, or by subject. */
async function boards(page, kind) {
    const bySubject = page.query.get("order") === "subject";
    const tab = (order, isCurrent) => element("a", {
        href: `${hashOf("kinds", kind)}${order}`, "aria-current": isCurrent ? "true" : null,
    }, word(order === "" ? "admin.busiest" : "admin.by.subject"));
    const prefix = element("input", {
        id: "prefix", type: "text", dir: "auto", autocomplete: "off", spellcheck: "false", maxlength: "128",
        placeholder: word("admin.prefix"),
    });
    const body = element("div");
    const tools = [
        element("nav", { class: "tabs", "aria-label": word("admin.order") },
            tab("", !bySubject), tab("?order=subject", bySubject)),
        element("label", { for: "prefix", class: "unseen" }, word("admin.prefix")), prefix,
    ];
    page.add(panel(word("boards"), tools, body));
    const list = new (bySubject ? BySubject : Busiest)(page, kind, body);
    let timer = 0;
    prefix.addEventListener("input", () => {
        clearTimeout(timer);
        timer = setTimeout(() => list.begin(prefix.value), TYPING_MS);
    });
    if (bySubject) await list.begin("");
    else await page.every(READ_MS, () => list.read());
}

function nameCell({ subject }, kind) {
    return link(hashOf("boards", kind, subject), subject);
}

function liveCell({ subject }, kind) {
    return element("a", { href: liveUrl({ kind, subject }) }, word("admin.live"));
}

class Busiest {
    #prefix = "";
    #turn = 0;

    constructor(page, kind, body) {
        Object.assign(this, { page, kind, body });
    }

    begin(prefix) {
        this.#prefix = prefix;
        return this.read();
    }

    async read() {
        this.#turn += 1;
        const turn = this.#turn;
        let shown;
        try {
            shown = this.#list((await admin.busiest(this.kind, this.#prefix, BOARDS)).boards);
        } catch (error) {
            shown = this.page.trouble(error);
        }
        // A list that changes under the focus would take it away.
        if (turn === this.#turn && !this.body.contains(document.activeElement)) this.body.replaceChildren(shown);
    }

    #list(boards) {
        const none = word(this.#prefix === "" ? "admin.busiest.none" : "admin.boards.none");
        if (boards.length === 0) return element("p", { class: "none" }, none);
        const most = Math.max(...boards.map((board) => board.contributions_per_minute));
        const heads = [word("board"), word("admin.per.minute"), word("admin.live")];
        return table(word("boards"), heads, boards.map((board) => {
            const { contributions_per_minute: each } = board;
            const bar = element("i", { class: "amount", "aria-hidden": "true" });
            bar.style.setProperty("--part", String(each / most));
            const amount = [bar, element("span", { class: "number" }, rate(each))];
            return [nameCell(board, this.kind), amount, liveCell(board, this.kind)];
        }));
    }
}

class BySubject {
    #turn = 0;

    constructor(page, kind, body) {
        Object.assign(this, { page, kind, body });
    }

    async begin(prefix) {
        this.#turn += 1;
        const turn = this.#turn;
        const heads = [word("board"), word("admin.span"), word("admin.shards"), word("admin.live")];
        const list = table(word("boards"), heads, []);
        let after = "";
        const more = button(word("boards.more"), () => next());
        const next = async () => {
            try {
                const { boards, next: rest } = await admin.bySubject(this.kind, prefix, after, BOARDS);
                if (turn !== this.#turn) return;
                after = rest;
                list.tBodies[0].append(...boards.map((board) => row(heads,
                    [nameCell(board, this.kind), spanOf(board), number(board.shards), liveCell(board, this.kind)])));
                const isEmpty = list.tBodies[0].rows.length === 0;
                if (after === null && document.activeElement === more) list.querySelector("tr:last-child a")?.focus();
                this.body.replaceChildren(isEmpty ? element("p", { class: "none" }, word("admin.boards.none")) : list,
                    ...(after === null ? [] : [more]));
            } catch (error) {
                this.body.replaceChildren(this.page.trouble(error));
            }
        };
        await next();
    }
}

/** Returns when a board begins and ends, if it has a time of its own. */
export function spanOf({ starts_at: from, ends_at: to }) {
    if (from === undefined && to === undefined) return "–";
    return [from, to].map((at) => (at === undefined ? "…" : moment(Date.parse(at)))).join(" – ");
}
