/** A member: the boards that rank it, by kind; hiding and showing it; erasing it from all of them. */

import * as admin from "./admin-api.js";
import { badge, boardOf, button, hashOf, link, panelHead, row, table } from "./admin-parts.js";
import { refocus, standingActions, valuesOf } from "./admin-standing.js";
import { confirmed } from "./confirm.js";
import { element, foreign } from "./dom.js";
import { number } from "./numbers.js";
import { periodOf, windowLabel } from "./windows.js";
import { phrase, word } from "./words.js";

/** Boards of a kind that are shown at a time. */
const BOARDS = 20;

/** Boards of a kind that are read at a time before the member is erased. */
const PAGE = 1000;

/** Shows a member. */
export async function member(page) {
    const [name] = page.parts;
    page.begin(foreign(name), {
        above: [[word("admin.members"), hashOf("members")]], name, about: word("admin.member.about"),
        tools: [button(word("admin.erase"), () => erase(page, name), { isDanger: true })],
    });
    const kinds = page.kinds.map((kind) => new InKind(page, kind, name));
    page.add(...kinds.map((it) => it.element));
    // One after the other: the server looks at the boards of few requests at a time.
    for (const kind of kinds) {
        if (!page.leaving.aborted) await kind.show();
    }
}

/** A member in one kind. */
class InKind {
    element = element("section", { class: "panel" });
    #turn = 0;

    constructor(page, kind, member) {
        Object.assign(this, { page, kind, member });
        this.#fill([], element("p", { class: "none" }, word("admin.looking")));
    }

    #fill(tools, ...parts) {
        const title = element("h2", {}, link(hashOf("kinds", this.kind.kind), this.kind.kind));
        this.element.replaceChildren(panelHead(title, tools), ...parts);
    }

    async show() {
        this.#turn += 1;
        const turn = this.#turn;
        const name = this.kind.kind;
        try {
            const isHidden = (await admin.hidden(name)).includes(this.member);
            if (turn !== this.#turn) return;
            const tools = [
                isHidden ? badge(word("admin.hidden"), "warn") : null,
                button(word(isHidden ? "admin.show" : "admin.hide"), () => this.#hide(!isHidden)),
            ].filter((it) => it !== null);
            if (isHidden) this.#fill(tools, element("p", { class: "none" }, word("admin.hidden.why")));
            else await this.#boards(tools);
        } catch (error) {
            if (turn === this.#turn) this.#fill([], this.page.trouble(error));
        }
    }

    async #boards(tools) {
        const heads = [word("board"), ...this.kind.windows.map(windowLabel), word("admin.actions")];
        const list = table(word("boards"), heads, []);
        const line = element("p", { class: "none" });
        const more = button(word("boards.more"), () => this.page.line.run(next));
        let after = "";
        let looked = 0;
        const next = async () => {
            let found = 0;
            do {
                const read = await admin.boardsOf(this.member, this.kind.kind, after, BOARDS);
                after = read.next;
                looked += read.looked_at;
                found += read.boards.length;
                list.tBodies[0].append(...read.boards.map((it) => row(heads, this.#cells(it))));
                line.textContent = word("admin.looked", { count: looked });
            } while (after !== null && found < BOARDS && !this.page.leaving.aborted);
            line.hidden = after === null && list.tBodies[0].rows.length > 0;
            if (after === null) line.textContent = word("admin.member.none");
            more.hidden = after === null;
            list.hidden = list.tBodies[0].rows.length === 0;
        };
        this.#fill(tools, list, line, more);
        await next();
    }

    /** Shows the boards after a change on one of them. */
    async #showAgain({ kind, subject }) {
        await this.show();
        const href = hashOf("boards", kind, subject);
        refocus(this.element.querySelector(`tr:has([href="${CSS.escape(href)}"])`) ?? this.element);
    }

    #cells({ board: name, windows }) {
        const board = boardOf(name);
        const entryOf = (period) => windows.find(({ window }) => periodOf(window, this.kind) === period);
        return [
            link(hashOf("boards", board.kind, board.subject), board.subject),
            ...this.kind.windows.map((period) => standingCell(entryOf(period), this.kind)),
            element("div", { class: "panel-tools" },
                ...standingActions(this.page, this.kind, board, this.member, () => this.#showAgain(board))),
        ];
    }

    async #hide(isHidden) {
        const kind = this.kind.kind;
        const names = { member: element("b", {}, foreign(this.member)), kind: element("b", {}, foreign(kind)) };
        const isMeant = await confirmed({
            title: word(isHidden ? "admin.hide.title" : "admin.show.title"),
            parts: [element("p", {}, ...phrase(isHidden ? "admin.hide.why" : "admin.show.why", names))],
            go: word(isHidden ? "admin.hide.go" : "admin.show.go"), method: "put", cancel: word("admin.cancel"),
        });
        if (!isMeant) return;
        this.page.line.say("busy", word("admin.running"));
        const isDone = await this.page.line.run(() => admin.setHidden(this.member, kind, isHidden));
        if (!isDone) return;
        const done = { member: foreign(this.member), kind: foreign(kind) };
        this.page.line.say("good", ...phrase(isHidden ? "admin.hide.done" : "admin.show.done", done));
        await this.show();
        this.element.querySelector(".panel-tools .act")?.focus();
    }
}

function standingCell(entry, kind) {
    if (entry === undefined) return "–";
    const rank = entry.rank === null ? "–" : word("place", { count: entry.rank });
    return [element("strong", {}, rank), " ", element("small", {}, valuesOf(entry, kind))];
}

/** Looks where a member is: the number of its boards by kind, and the kinds that hide it. */
async function whereIs(page, member) {
    const found = [];
    const hiddenIn = await admin.hiddenIn(member);
    let looked = 0;
    for (const { kind } of page.kinds) {
        let boards = 0;
        let after = "";
        do {
            const read = await admin.boardsOf(member, kind, after, PAGE);
            after = read.next;
            boards += read.boards.length;
            looked += read.looked_at;
            page.line.say("busy", word("admin.looked", { count: looked }));
        } while (after !== null && !page.leaving.aborted);
        if (boards > 0) found.push([kind, boards]);
    }
    return { found, hiddenIn };
}

/** Erases a member from all boards, after a look at where it is. */
async function erase(page, member) {
    let where;
    if (!await page.line.run(async () => { where = await whereIs(page, member); })) return;
    if (page.leaving.aborted) return;
    page.line.say("");
    const { found, hiddenIn } = where;
    const name = () => element("b", {}, foreign(member));
    const list = found.map(([kind, boards]) =>
        element("li", {}, foreign(kind), ": ", word("admin.boards", { count: boards })));
    const isMeant = await confirmed({
        title: word("admin.erase.title"),
        parts: [
            element("p", {}, ...phrase("admin.erase.why", { member: name() })),
            found.length > 0
                ? element("ul", { class: "where" }, ...list)
                : element("p", { class: "where" }, word("admin.erase.nowhere")),
            hiddenIn.length > 0 ? element("p", {}, word("admin.erase.hidden", { kinds: hiddenIn.join(", ") })) : null,
        ],
        typed: { text: member, label: phrase("admin.type", { name: name() }) },
        go: word("admin.erase.go"), method: "delete", cancel: word("admin.cancel"),
    });
    if (!isMeant) return;
    page.line.say("busy", word("admin.running"));
    let done = { boards: 0, erased: 0 };
    const isDone = await page.line.run(async () => {
        for await (done of admin.erasure(member)) {
            page.line.say("busy", word("admin.erase.running", { count: done.boards, erased: number(done.erased) }));
        }
    });
    if (!isDone) return;
    page.leave(hashOf("members"), "good", ...phrase("admin.erase.done", { count: done.erased, member: foreign(member) }));
}
