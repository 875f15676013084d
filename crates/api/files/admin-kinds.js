/** The kinds with their settings, and the boards of one kind: the busiest ones, or all by subject. */

import * as admin from "./admin-api.js";
import { badge, button, facts, hashOf, link, liveUrl, markCurrent, panel, rate, row, table } from "./admin-parts.js";
import { pretty, textOf } from "./docs-json.js";
import { element, foreign, renew } from "./dom.js";
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

/** Shows the boards of a kind, as the address says: by activity, or by subject, and those that begin with a prefix. */
async function boards(page, kind) {
    const prefix = element("input", {
        id: "prefix", type: "text", dir: "auto", autocomplete: "off", spellcheck: "false", maxlength: "128",
        placeholder: word("admin.prefix"),
    });
    const orders = { busiest: element("a", {}, word("admin.busiest")), subject: element("a", {}, word("admin.by.subject")) };
    const body = element("div");
    const tools = [
        element("nav", { class: "tabs", "aria-label": word("admin.order") }, ...Object.values(orders)),
        element("label", { for: "prefix", class: "unseen" }, word("admin.prefix")), prefix,
    ];
    page.add(panel(word("boards"), tools, body));
    const lists = { busiest: new Busiest(page, kind, body), subject: new BySubject(page, kind, body) };
    let shown = null;
    const showOrders = () => {
        orders.busiest.href = page.addressWith({ order: null });
        orders.subject.href = page.addressWith({ order: "subject" });
    };
    let timer = 0;
    prefix.addEventListener("input", () => {
        // In the address at once: so it is there whatever is drawn next.
        page.note("prefix", prefix.value);
        showOrders();
        clearTimeout(timer);
        timer = setTimeout(() => shown.begin(prefix.value), TYPING_MS);
    });
    await page.follow((query) => {
        clearTimeout(timer);
        const order = query.get("order") === "subject" ? "subject" : "busiest";
        markCurrent(orders, order);
        showOrders();
        const text = query.get("prefix") ?? "";
        if (prefix.value !== text) prefix.value = text;
        if (shown !== lists[order]) {
            shown?.end();
            shown = lists[order];
            body.replaceChildren(element("p", { class: "none" }, word("admin.looking")));
        }
        return shown.begin(text);
    });
    page.every(READ_MS, () => lists.busiest.again());
}

function nameCell({ subject }, kind) {
    return link(hashOf("boards", kind, subject), subject);
}

function liveCell({ subject }, kind) {
    return element("a", { href: liveUrl({ kind, subject }) }, word("admin.live"));
}

/** The boards with the most contributions, read again and again while they are shown. */
class Busiest {
    /** Null while other boards are shown. */
    #prefix = null;
    #turn = 0;

    constructor(page, kind, body) {
        Object.assign(this, { page, kind, body });
    }

    begin(prefix) {
        this.#prefix = prefix;
        return this.again();
    }

    end() {
        this.#turn += 1;
        this.#prefix = null;
    }

    async again() {
        if (this.#prefix === null) return;
        this.#turn += 1;
        const turn = this.#turn;
        let shown;
        try {
            shown = this.#list((await admin.busiest(this.kind, this.#prefix, BOARDS)).boards);
        } catch (error) {
            shown = this.page.trouble(error);
        }
        if (turn === this.#turn) this.#show(shown);
    }

    /** A board's row stays, with the focus and the selection in it. If it leaves the list, the focus goes to the one in its place. */
    #show(list) {
        const rows = () => [...this.body.querySelectorAll("tbody tr")];
        const at = rows().findIndex((row) => row.contains(document.activeElement));
        renew(this.body, list);
        if (at < 0 || this.body.contains(document.activeElement)) return;
        const left = rows();
        left[Math.min(at, left.length - 1)]?.querySelector("a").focus({ preventScroll: true });
    }

    #list(boards) {
        const none = word(this.#prefix === "" ? "admin.busiest.none" : "admin.boards.none");
        if (boards.length === 0) return element("p", { class: "none" }, none);
        const most = Math.max(...boards.map((board) => board.contributions_per_minute));
        const heads = [word("board"), word("admin.per.minute"), word("admin.live")];
        const list = table(word("boards"), heads, []);
        list.tBodies[0].append(...boards.map((board) => {
            const { contributions_per_minute: each } = board;
            const bar = element("i", { class: "amount", "aria-hidden": "true" });
            bar.style.setProperty("--part", String(each / most));
            const amount = [bar, element("span", { class: "number" }, rate(each))];
            return row(heads, [nameCell(board, this.kind), amount, liveCell(board, this.kind)], board.subject);
        }));
        return list;
    }
}

class BySubject {
    #turn = 0;

    constructor(page, kind, body) {
        Object.assign(this, { page, kind, body });
    }

    end() {
        this.#turn += 1;
    }

    async begin(prefix) {
        this.#turn += 1;
        const turn = this.#turn;
        const heads = [word("board"), word("admin.span"), word("admin.shards"), word("admin.live")];
        const list = table(word("boards"), heads, []);
        const more = button(word("boards.more"), () => this.page.line.run(next));
        let after = "";
        const next = async () => {
            const { boards, next: rest } = await admin.bySubject(this.kind, prefix, after, BOARDS);
            after = rest;
            list.tBodies[0].append(...boards.map((board) => row(heads,
                [nameCell(board, this.kind), spanOf(board), number(board.shards), liveCell(board, this.kind)])));
            if (after === null && document.activeElement === more) list.querySelector("tr:last-child a")?.focus();
            more.hidden = after === null;
        };
        let shown;
        try {
            await next();
            const isEmpty = list.tBodies[0].rows.length === 0;
            shown = [isEmpty ? element("p", { class: "none" }, word("admin.boards.none")) : list, more];
        } catch (error) {
            shown = [this.page.trouble(error)];
        }
        if (turn === this.#turn) this.body.replaceChildren(...shown);
    }
}

/** Returns when a board begins and ends, if it has a time of its own. */
export function spanOf({ starts_at: from, ends_at: to }) {
    if (from === undefined && to === undefined) return "–";
    return [from, to].map((at) => (at === undefined ? "…" : moment(Date.parse(at)))).join(" – ");
}
