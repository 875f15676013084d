/** A board: its name, its rows, and the other properties of a frame. */

import { firstContribution } from "./api.js";
import { Columns, FORMS } from "./columns.js";
import { command } from "./copy.js";
import { byId, element, foreign, setText } from "./dom.js";
import { clock, fieldLabel, moment, number, until, windowLabel, windowName } from "./format.js";
import { Rows } from "./rows.js";

/** The sign and the words above a column of values. */
const ORDERS = { desc: ["↓", "highest first"], asc: ["↑", "lowest first"] };

export class Board {
    #kind = null;
    #state = null;
    #frame = null;
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

    /** Shows a frame. */
    show(frame, now) {
        this.#frame = frame;
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
        setText(byId("quiet"), `As of ${clock(Date.parse(frame.as_of))} · version ${frame.version}`);
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

    /** Shows a message in place of the board. */
    instead(...children) {
        byId("table").hidden = true;
        byId("quiet").hidden = true;
        byId("total").hidden = true;
        this.#section.removeAttribute("aria-busy");
        byId("card").replaceChildren(...children);
        byId("card").hidden = false;
        delete byId("card").dataset.command;
    }

    #head() {
        const column = (className, ...text) =>
            element("span", { role: "columnheader", class: className }, ...text);
        const values = this.#kind.fields.map((field) => {
            const [sign, meaning] = ORDERS[field.order ?? "desc"];
            return column("value", fieldLabel(field),
                element("span", { "aria-hidden": "true", title: meaning }, ` ${sign}`),
                element("span", { class: "unseen" }, `, ${meaning}`));
        });
        byId("head").replaceChildren(column("rank", "Rank"), column("who", "Member"), ...values,
            column("gap", "Gap"), column("age", "Reached"));
        this.#columns.begin(this.#kind.fields);
    }

    #showSpan(now) {
        const { window, starts_at: starts, ends_at: ends, final, stale, listed } = this.#frame;
        const signs = [["window", windowName(window)]];
        const starting = starts ? Date.parse(starts) - now : 0;
        if (starting > 0) signs.push(["soon", `Starts in ${until(Date.parse(starts), now)}`]);
        else if (ends && !final) signs.push(["ends", `Ends in ${until(Date.parse(ends), now)}`]);
        if (final) signs.push(["final", ends ? `Final since ${moment(Date.parse(ends))}` : "Final"]);
        if (stale) signs.push(["stale", "Stale: the store is unavailable"]);
        if (listed) signs.push(["listed", `The best ${number(listed)} are ranked`]);
        const text = signs.join("|");
        if (this.#signs === text) return;
        this.#signs = text;
        byId("span").replaceChildren(...signs.map(([word, text]) => element("span", { class: `sign ${word}` }, text)));
    }

    #showTotal() {
        const { members } = this.#frame;
        byId("total").hidden = members === 0;
        setText(byId("total").firstElementChild, number(members));
        setText(byId("total").lastElementChild, members === 1 ? "member" : "members");
    }

    #showEmpty() {
        if (this.#frame.final) {
            this.instead(podium(), element("h2", {}, "No members"),
                element("p", {}, "It ended without a contribution."));
            return;
        }
        const first = firstContribution(this.#kind, this.#state.subject);
        if (byId("card").dataset.command === first && !byId("card").hidden) return;
        this.instead(podium(), element("h2", {}, "No members yet"),
            element("p", {}, "Nothing was contributed to this board yet. Send a first contribution:"),
            command("Command for a first contribution", first));
        byId("card").dataset.command = first;
    }
}

/** The drawing of an empty podium. */
function podium() {
    return element("div", { class: "podium", "aria-hidden": "true" },
        ...["2", "1", "3"].map((rank) => element("span", {}, rank)));
}
