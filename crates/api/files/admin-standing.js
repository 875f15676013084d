/** A member's standings on one board: shown for the current window of each period, set, and removed. */

import * as admin from "./admin-api.js";
import { button, hashOf, link, liveUrl, panelHead, table } from "./admin-parts.js";
import { confirmed } from "./confirm.js";
import { element, foreign } from "./dom.js";
import { fieldLabel } from "./format.js";
import { number } from "./numbers.js";
import { valueOf } from "./row.js";
import { windowLabel } from "./windows.js";
import { phrase, word } from "./words.js";

const INTEGER = "-?[0-9]{1,16}";

/** Returns the names of a board and of a member, for a text. */
function named({ kind, subject }, member) {
    return { member: element("b", {}, foreign(member)), board: element("b", {}, foreign(`${kind}/${subject}`)) };
}

function isPoints(kind) {
    return kind.fields.length === 1 && kind.fields[0].name === "points";
}

/** Returns an entry's values as text; of several fields separated. */
export function valuesOf(entry, kind) {
    return kind.fields.map((field) => number(valueOf(entry, field))).join(" / ");
}

async function entries(kind, board, member) {
    return Promise.all(kind.windows.map(async (window) => [window, await admin.entry(board, member, window)]));
}

/** A member's standings on a board, with what can be done about them. */
export class Standings {
    /** What is shown: the member that was chosen last. */
    element = element("div", { class: "found" });
    #turn = 0;

    constructor(page, kind, board) {
        Object.assign(this, { page, kind, board });
    }

    /** Shows a member, or nobody if the text is empty. */
    async show(member) {
        this.#turn += 1;
        const turn = this.#turn;
        let shown;
        try {
            shown = member === "" ? [] : this.#shown(member, await entries(this.kind, this.board, member));
        } catch (error) {
            shown = [this.page.trouble(error)];
        }
        if (turn === this.#turn) this.element.replaceChildren(...shown);
    }

    #shown(member, found) {
        const isThere = found.some(([, entry]) => entry !== null);
        const heads = [word("window"), word("column.rank"), ...this.kind.fields.map(fieldLabel)];
        const values = (entry) => this.kind.fields.map((field) => number(entry === null ? null : valueOf(entry, field)));
        const rows = found.map(([window, entry]) => [windowLabel(window), rankText(entry), ...values(entry)]);
        const again = async () => {
            await this.show(member);
            refocus(this.element);
        };
        return [
            panelHead(element("h3", {}, link(hashOf("members", member), member)),
                standingActions(this.page, this.kind, this.board, member, again, isThere)),
            isThere
                ? table(word("admin.standings.of"), heads, rows)
                : element("p", { class: "none" }, word("admin.standing.none")),
        ];
    }
}

/** Focuses the first action in an element, if the focus was on one that is gone. */
export function refocus(within) {
    if (document.activeElement === document.body) within.querySelector(".act")?.focus();
}

function rankText(entry) {
    return entry?.rank == null ? "–" : word("place", { count: entry.rank });
}

/** Returns what can be done about a member on a board. `show()` shows it again. */
export function standingActions(page, kind, board, member, show, isThere = true) {
    return [
        isThere ? element("a", { class: "act", href: liveUrl(board, { member }) }, word("neighbours")) : null,
        button(word("admin.set"), async () => await set(page, kind, board, member) && show()),
        isThere
            ? button(word("admin.remove"), async () => await remove(page, board, member) && show(), { isDanger: true })
            : null,
    ].filter((it) => it !== null);
}

async function remove(page, board, member) {
    const isMeant = await confirmed({
        title: word("admin.remove.title"),
        parts: [element("p", {}, ...phrase("admin.remove.why", named(board, member)))],
        go: word("admin.remove.go"), method: "delete", cancel: word("admin.cancel"),
    });
    if (!isMeant) return false;
    page.line.say("busy", word("admin.running"));
    return page.line.run(async () => {
        const wasThere = await admin.remove(board, member);
        page.line.say("good", ...phrase(wasThere ? "admin.remove.done" : "admin.remove.absent", named(board, member)));
    });
}

/** Returns the fields of a standing, and what was typed into them: a score, or null while it is incomplete. */
function scoreForm(kind, first) {
    const inputs = kind.fields.map((field, at) => element("input", {
        id: `set-${at}`, type: "text", inputmode: "numeric", pattern: INTEGER, required: "", autocomplete: "off",
        value: first === null ? "" : valueOf(first, field) ?? "",
    }));
    const score = () => {
        const values = inputs.map((input) => (input.value !== "" && input.validity.valid ? Number(input.value) : NaN));
        if (!values.every(Number.isSafeInteger)) return null;
        if (isPoints(kind)) return { points: values[0] };
        return { values: Object.fromEntries(kind.fields.map(({ name }, at) => [name, values[at]])) };
    };
    const fields = kind.fields.map((field, at) => element("div", { class: "field" },
        element("label", { for: `set-${at}` }, foreign(fieldLabel(field))), inputs[at]));
    return { element: element("div", { class: "fields" }, ...fields), score };
}

/** Asks for a standing, shows it beside the old one, and sets it. */
async function set(page, kind, board, member) {
    let old;
    if (!await page.line.run(async () => { old = await entries(kind, board, member); }) || page.leaving.aborted) return false;
    const form = scoreForm(kind, old.find(([, entry]) => entry !== null)?.[1] ?? null);
    const window = element("select", { id: "set-window" }, element("option", { value: "" }, word("admin.set.all")),
        ...kind.windows.map((period) => element("option", { value: period }, windowLabel(period))));
    const preview = element("div", { class: "preview" });
    const show = () => {
        const score = form.score();
        const meant = old.filter(([period]) => window.value === "" || period === window.value);
        preview.replaceChildren(table(word("admin.set.change"), [word("window"), word("admin.before"), word("admin.after")],
            meant.map(([period, entry]) => [windowLabel(period), entry === null ? "–" : valuesOf(entry, kind),
                element("strong", {}, score === null ? "–" : valuesOf(score, kind))])));
    };
    form.element.addEventListener("input", show);
    window.addEventListener("input", show);
    show();
    const isMeant = await confirmed({
        title: word("admin.set.title"),
        parts: [
            element("p", {}, ...phrase("admin.set.why", named(board, member))),
            form.element,
            element("div", { class: "field" }, element("label", { for: window.id }, word("window")), window),
            preview,
        ],
        check: () => form.score() !== null,
        go: word("admin.set.go"), method: "put", cancel: word("admin.cancel"),
    });
    if (!isMeant) return false;
    page.line.say("busy", word("admin.running"));
    return page.line.run(async () => {
        const score = form.score();
        await admin.setStanding(board, member, window.value, score);
        const done = { ...named(board, member), values: valuesOf(score, kind) };
        page.line.say("good", ...phrase("admin.set.done", done));
    });
}
