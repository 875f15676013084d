/** Search for a member: shows its rank, the gaps to others, and its neighbours, and keeps them up to date. */

import * as api from "./api.js";
import { Columns, NEAR_FORMS } from "./columns.js";
import { byId, element, foreign, renew, setText } from "./dom.js";
import { amount, fieldLabel } from "./format.js";
import { meant, SEARCHED_MAX } from "./meant.js";
import { number, percent } from "./numbers.js";
import { Rows } from "./rows.js";
import { apart, avatar, dress, nameOf, valueOf } from "./row.js";
import { Trail } from "./trail.js";
import { windowLabel, windowPhrase } from "./windows.js";
import { phrase, word } from "./words.js";

/** Number of neighbours on each side. */
const NEIGHBOURS = 3;

/** Minimum time between two requests for a member; the board itself may change five times a second. */
const REFRESH_MS = 1000;

export class Find {
    #kind = null;
    #state = null;
    #member = "";
    #timer = 0;
    #askedAt = 0;
    #isBehind = false;
    #now;
    #turn = 0;
    #neighbours = null;
    #columns = null;
    #trail = null;
    #shape = "";
    /** The image that is shown of the member. */
    #dressed;
    #go;
    #frame;
    #searches = 0;
    /** Whether the input has a text that was not searched for. */
    #isTyped = false;
    #found = byId("found");

    /** `go(change)` changes what the page shows; `frame()` returns what it shows, or null; `now()` the server's time. */
    constructor(go, frame, now) {
        this.#go = go;
        this.#now = now;
        this.#frame = frame;
        byId("find").addEventListener("submit", (event) => {
            event.preventDefault();
            this.#search(byId("member").value);
        });
        byId("member").addEventListener("input", () => { this.#isTyped = true; });
        addEventListener("keydown", (event) => this.#key(event));
    }

    /** Shows the member that a text means. The newest search counts, and none for a board that is no longer shown. */
    async #search(text) {
        if (this.#state === null) return;
        this.#isTyped = false;
        this.#searches += 1;
        const [search, { kind, subject }] = [this.#searches, this.#state];
        const isEmpty = text === "" || this.#frame() === null;
        const member = isEmpty ? text : await meant(text, this.#state, this.#kind, this.#frame());
        const isShown = this.#state.kind === kind && this.#state.subject === subject;
        if (search === this.#searches && isShown) this.#go({ member });
    }

    /** Begins another board or member; without a member nothing is shown. */
    begin(kind, state) {
        const isOther = this.#member !== state.member;
        const isSame = !isOther && this.#state !== null && ["kind", "subject", "window"].every((part) => this.#state[part] === state[part]);
        this.#kind = kind;
        this.#state = state;
        if (isSame) return;
        this.#member = state.member;
        this.#turn += 1;
        clearTimeout(this.#timer);
        this.#timer = 0;
        this.#askedAt = 0;
        this.#shape = "";
        const isTyping = this.#isTyped && document.activeElement === byId("member");
        if (isOther && !isTyping) byId("member").value = state.member;
        if (state.member === "" || state.subject === "") this.#hide();
        else this.changed(Date.now());
    }

    /** Requests the member again after the board has changed. */
    changed(now) {
        if (this.#member === "" || document.visibilityState === "hidden") return;
        // The response under way may be older than this change.
        this.#isBehind = this.#timer !== 0;
        if (this.#isBehind) return;
        const wait = Math.max(0, this.#askedAt + REFRESH_MS - now);
        this.#timer = setTimeout(() => this.#ask(), wait);
    }

    /** Updates relative times. */
    tick() {
        this.#neighbours?.tick(this.#now());
    }

    #hide() {
        this.#found.hidden = true;
        this.#found.replaceChildren();
        setText(byId("found-said"), "");
    }

    async #ask() {
        const [turn, state, member] = [this.#turn, this.#state, this.#member];
        this.#askedAt = Date.now();
        this.#isBehind = false;
        let show;
        try {
            const found = await this.#look(state, member);
            show = () => (found === null ? this.#showAbsent() : this.#show(...found));
        } catch (error) {
            show = () => this.#showProblem(error);
        }
        if (turn !== this.#turn) return;
        this.#timer = 0;
        show();
        if (this.#isBehind) this.changed(Date.now());
    }

    /** Returns the member and its neighbours, or null. Unless it was ranked before, `lookup` checks first, so that an absent member causes no 404. */
    async #look(state, member) {
        if (this.#shape !== "ranked" && !await api.isKnown(state, member)) return null;
        return Promise.all([
            api.place(state, member),
            api.around(state, member, NEIGHBOURS).catch(notListed),
        ]);
    }

    #show(place, around) {
        const shape = place.rank === null ? "unlisted" : "ranked";
        if (this.#shape !== shape) this.#build(shape);
        this.#found.classList.remove("behind");
        setText(this.#found.querySelector("h3 bdi"), nameOf(place));
        const dressed = JSON.stringify([nameOf(place), place.profile?.avatar]);
        if (this.#dressed !== dressed) dress(this.#found.querySelector(".found-head .avatar"), place);
        this.#dressed = dressed;
        if (shape === "unlisted") {
            const text = word("unlisted", { count: place.listed });
            setText(this.#found.querySelector(".words"), text);
            this.#say(word("said", { member: this.#member, text }));
            return;
        }
        const part = (name) => this.#found.querySelector(`.${name}`);
        setText(part("place"), word("place", { count: place.rank }));
        setText(part("of"), word("place.of", { count: place.members }));
        setText(part("better"), standing(place));
        renew(part("chase"), ...chase(place, this.#kind.fields));
        this.#say(word("place.said", { member: this.#member, rank: number(place.rank), members: number(place.members) }));
        this.#trail.show(place.board, place.window, this.#member, place.rank, this.#now());
        this.#showField(around.entries);
        this.#columns.fit(around.entries, this.#now());
        this.#neighbours.show(around.entries, around.entries[0], this.#now());
    }

    /** Selects the field whose values are shown: the first in which the entries differ. */
    #showField(entries) {
        const { fields } = this.#kind;
        const differs = (field) => entries.some((entry) => valueOf(entry, field) !== valueOf(entries[0], field));
        const at = Math.max(0, fields.findIndex(differs));
        const table = this.#found.querySelector(".near");
        table.dataset.shown = at;
        setText(table.querySelector(".by"), fieldLabel(fields[at]));
    }

    #build(shape) {
        const hadFocus = this.#found.contains(document.activeElement);
        this.#shape = shape;
        this.#dressed = undefined;
        const close = element("button", { type: "button", class: "close", "aria-label": word("close") }, "×");
        close.addEventListener("click", () => this.#leave());
        const name = element("h3", {}, foreign(this.#member));
        name.title = this.#member;
        const top = element("div", { class: "found-head" }, avatar(this.#member), name, close);
        if (shape === "unlisted" || shape === "absent") {
            this.#found.replaceChildren(top, element("p", { class: "words" }), element("div", { class: "ways" }));
        } else {
            const list = element("div", { role: "rowgroup", class: "rows" });
            const table = element("div", { class: "table near", role: "table", "aria-label": word("neighbours") },
                element("div", { role: "rowgroup", class: "unseen" }, heads(this.#kind.fields)),
                element("p", { class: "by", "aria-hidden": "true" }), list);
            this.#neighbours = new Rows(list);
            this.#neighbours.begin(this.#kind.fields, (member) => this.#go({ member }));
            this.#neighbours.mark(this.#member);
            this.#found.replaceChildren(top,
                element("p", { class: "standing" },
                    element("strong", { class: "place" }), " ", element("span", { class: "of" }),
                    element("span", { class: "better" })),
                element("p", { class: "chase" }), element("div", { class: "trail", hidden: "" }), table);
            this.#trail = new Trail(this.#found.querySelector(".trail"));
            this.#columns = new Columns(table, NEAR_FORMS);
            this.#columns.begin(this.#kind.fields);
        }
        this.#found.hidden = false;
        if (hadFocus) close.focus({ preventScroll: true });
    }

    #showProblem(error) {
        if (error instanceof api.Problem && error.type === "not-ranked") {
            this.#showAbsent();
            return;
        }
        // On a temporary problem what was shown stays, and the next change requests it again.
        if (this.#shape === "" || (error instanceof api.Problem && !error.mayPass)) {
            this.#build("absent");
            this.#shape = "";
            const text = error instanceof api.Problem ? error.message : word("no.response");
            setText(this.#found.querySelector(".words"), text);
            this.#say(text);
        } else {
            this.#found.classList.add("behind");
        }
        if (!(error instanceof api.Problem) || error.mayPass) this.changed(Date.now());
    }

    #showAbsent() {
        if (this.#shape !== "absent") {
            this.#build("absent");
            // A member of any window is also in the window of all time.
            if (this.#state.window !== "all" && this.#kind.windows.includes("all")) {
                const way = element("button", { type: "button", class: "way" },
                    word("absent.look", { window: windowLabel("all") }));
                way.addEventListener("click", () => this.#go({ window: "all" }));
                this.#found.querySelector(".ways").append(way);
            }
        }
        const text = word("absent", { when: windowPhrase(this.#state.window), count: SEARCHED_MAX });
        setText(this.#found.querySelector(".words"), text);
        this.#say(word("said", { member: this.#member, text }));
    }

    #leave() {
        this.#isTyped = false;
        this.#go({ member: "" });
        byId("member").value = "";
        byId("member").focus();
    }

    /** Announces the result once per search, not at every change. */
    #say(text) {
        const key = `${this.#turn}`;
        if (byId("found-said").dataset.turn === key) return;
        byId("found-said").dataset.turn = key;
        setText(byId("found-said"), text);
    }

    #key(event) {
        const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
        if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
            event.preventDefault();
            byId("member").focus();
            byId("member").select();
        } else if (event.key === "Escape" && this.#member !== "" && event.target.closest?.(".find")) {
            this.#leave();
        }
    }
}

/** A member below a top list has no neighbours. */
function notListed(error) {
    if (error instanceof api.Problem && error.type === "not-listed") return { entries: [] };
    throw error;
}

function heads(fields) {
    const head = (name, className) => element("span", { role: "columnheader", class: className }, name);
    return element("div", { role: "row" }, head(word("column.rank")), head(word("column.member")),
        ...fields.map((field) => head(fieldLabel(field), "value")), head(word("column.gap")), head(word("column.reached")));
}

function standing({ position, members, percentile }) {
    if (members === 1) return word("place.only");
    if (position === 1) return word("place.first");
    return percentile === 0 ? word("place.last") : word("place.ahead", { percent: percent(percentile) });
}

/** The gaps to the next members above and below. */
function chase(place, fields) {
    const lines = [[place.above, "behind"], [place.below, "ahead"]];
    return lines.filter(([other]) => other !== null).map(([other, where]) => gapTo(place, other, where, fields));
}

function gapTo(place, other, where, fields) {
    const name = element("b", {}, foreign(nameOf(other)));
    const gap = apart(place, other, fields);
    if (gap === null) return element("span", {}, ...phrase("gap.level", { name }));
    if (gap.by === null) return element("span", {}, ...phrase(`gap.just.${where}`, { name }));
    return element("span", {}, ...phrase(`gap.${where}`, { amount: element("strong", {}, amount(gap.by, gap.field)), name }));
}
