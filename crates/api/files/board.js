/** A board: its name, its rows, and the other properties of a frame. */

import { firstContribution, firstKind } from "./api.js";
import { Columns, FORMS } from "./columns.js";
import { command } from "./copy.js";
import { byId, element, foreign, renew, setText } from "./dom.js";
import { clock, fieldLabel, moment, until } from "./format.js";
import { number } from "./numbers.js";
import { isOver } from "./phase.js";
import { Rows } from "./rows.js";
import { windowLabel, windowName } from "./windows.js";
import { word } from "./words.js";

/** The signs above a column of values. */
const SIGNS = { desc: "↓", asc: "↑" };

export class Board {
    /** Whether the kind has no boards: then the command of an empty board makes the first one. */
    isFirst = false;
    /** Whether another window of an empty board has members. */
    hasOthers = false;
    #kind = null;
    #state = null;
    #frame = null;
    #phase = null;
    #signs = "";
    #rows = new Rows(byId("rows"), byId("ghosts"));
    #section = byId("board");
    #columns = new Columns(byId("table"), FORMS, byId("board"));

    /** Shows the board's name in the heading and the title. */
    name(kind, subject) {
        byId("title").replaceChildren(foreign(subject));
        document.title = `${subject} · Megaboard`;
        setText(byId("eyebrow"), kind);
        byId("span").replaceChildren();
    }

    /** Begins another board, whose first frame has not arrived yet. */
    begin(kind, state, onPick) {
        this.#kind = kind;
        this.#state = state;
        this.#frame = null;
        this.hasOthers = false;
        this.#signs = "";
        this.name(kind.kind, state.subject);
        byId("span").replaceChildren(element("span", {}, windowLabel(state.window)));
        byId("total").hidden = true;
        byId("quiet").hidden = true;
        byId("card").hidden = true;
        this.#rows.begin(kind.fields, onPick);
        this.#head();
        this.#section.setAttribute("aria-busy", "true");
        this.mark(state.member);
    }

    /** Shows a frame, in its phase. */
    show(frame, now, phase) {
        this.#frame = frame;
        this.#phase = phase;
        this.#section.removeAttribute("aria-busy");
        this.#showSpan(now);
        this.#showTotal();
        const isEmpty = frame.entries.length === 0;
        byId("table").hidden = isEmpty;
        byId("table").setAttribute("aria-rowcount", String(frame.members + 1));
        this.#columns.fit(frame.entries, now);
        this.#rows.show(frame.entries, frame.entries[0], now);
        if (isEmpty) this.#showEmpty();
        else byId("card").hidden = true;
        byId("quiet").hidden = false;
        byId("quiet").title = frame.version;
        setText(byId("quiet"), word("as.of", { time: clock(Date.parse(frame.as_of)), version: frame.version }));
    }

    /** Marks the board as possibly outdated while the connection is lost. */
    away(isAway) {
        this.#section.classList.toggle("away", isAway);
    }

    /** Marks a member's row. */
    mark(member) {
        this.#rows.mark(member);
    }

    /** Updates relative times. */
    tick(now) {
        this.#rows.tick(now);
        if (this.#frame) this.#showSpan(now);
    }

    /** Shows a message in place of the board. One that is there already is not changed: it may be selected. */
    instead(...children) {
        byId("table").hidden = true;
        byId("quiet").hidden = true;
        byId("total").hidden = true;
        this.#section.removeAttribute("aria-busy");
        const shown = [...byId("card").childNodes];
        const isSame = shown.length === children.length && children.every((child, at) => child.isEqualNode(shown[at]));
        if (!isSame) byId("card").replaceChildren(...children);
        byId("card").hidden = false;
        delete byId("card").dataset.command;
    }

    #head() {
        const column = (className, ...text) =>
            element("span", { role: "columnheader", class: className }, ...text);
        const values = this.#kind.fields.map((field) => {
            const order = field.order ?? "desc";
            const meaning = word(`order.${order}`);
            return column("value", fieldLabel(field),
                element("span", { "aria-hidden": "true", title: meaning }, ` ${SIGNS[order]}`),
                element("span", { class: "unseen" }, `, ${meaning}`));
        });
        byId("head").replaceChildren(column("rank", word("column.rank")), column("who", word("column.member")), ...values,
            column("gap", word("column.gap")), column("age", word("column.reached")));
        this.#columns.begin(this.#kind.fields);
    }

    #showSpan(now) {
        const { window, starts_at: starts, ends_at: ends, listed } = this.#frame;
        const signs = [["window", windowName(window)]];
        const phase = this.#phase;
        if (phase === "soon") signs.push(["soon", word("starts.in", { time: until(Date.parse(starts), now) })]);
        else if (ends && !["ended", "final"].includes(phase)) signs.push(["ends", word("ends.in", { time: until(Date.parse(ends), now) })]);
        if (phase === "final") signs.push(["final", ends ? word("final.since", { time: moment(Date.parse(ends)) }) : word("final")]);
        else if (phase === "ended") signs.push(["past", word("state.ended")]);
        else if (phase === "past") signs.push(["past", word("past")]);
        if (listed) signs.push(["listed", word("listed", { count: listed })]);
        const text = signs.join("|");
        if (this.#signs === text) return;
        this.#signs = text;
        renew(byId("span"), ...signs.map(([word, text]) => element("span", { class: `sign ${word}` }, text)));
    }

    #showTotal() {
        const { members } = this.#frame;
        byId("total").hidden = members === 0;
        setText(byId("total").firstElementChild, number(members));
        setText(byId("total").lastElementChild, word("members", { count: members }));
    }

    #showEmpty() {
        const { starts_at: starts } = this.#frame;
        const isEnded = isOver(this.#phase);
        if (isEnded || this.hasOthers) {
            this.instead(podium(), element("h2", {}, word("board.empty.window")),
                element("p", {}, word(isEnded ? "board.empty.past" : "board.empty.others")));
            return;
        }
        if (this.#phase === "soon") {
            this.instead(podium(), element("h2", {}, word("board.empty")),
                element("p", {}, word("board.empty.soon", { time: moment(Date.parse(starts)) })));
            return;
        }
        const first = firstContribution(this.#kind, this.#state.subject);
        this.#invite(first, word("board.command"),
            word(this.isFirst ? "board.none" : "board.empty"), word("board.empty.why"));
    }

    /** Shows the command for a first kind. */
    inviteKind() {
        this.#invite(firstKind(), word("kinds.command"), word("kinds.none"), word("kinds.none.why"));
    }

    /** Shows a command in place of the board. If it is already shown it is not changed, since it may be selected. */
    #invite(text, label, title, why) {
        if (byId("card").dataset.command === text && !byId("card").hidden) return;
        this.instead(podium(), element("h2", {}, title), element("p", {}, why), command(label, text));
        byId("card").dataset.command = text;
    }
}

/** The drawing of an empty podium. */
function podium() {
    return element("div", { class: "podium", "aria-hidden": "true" },
        ...["2", "1", "3"].map((rank) => element("span", {}, rank)));
}
