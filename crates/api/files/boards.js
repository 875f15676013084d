/** The input for a board: a combobox with the boards of a kind, which accepts any other subject, too. */

import * as api from "./api.js";
import { byId, element, foreign } from "./dom.js";
import { word } from "./words.js";

/** Boards per request. */
const PAGE = 50;

/** The pause in typing after which boards are requested. */
const TYPING_MS = 150;

const MORE = Symbol("more");

export class Boards {
    #kind = "";
    #subject = "";
    /** Whether the input has a text that was not chosen yet: nothing but its own ways changes it. */
    #isTyped = false;
    #go;
    #input = byId("subject");
    #list = byId("boards");
    /** The prefix of the boards in the list. */
    #text = "";
    #choices = [];
    #active = -1;
    #after = "";
    #timer = 0;
    #turn = 0;

    /** `go(change)` changes what the page shows. */
    constructor(go) {
        this.#go = go;
        this.#input.addEventListener("focus", () => this.#input.select());
        this.#input.addEventListener("click", () => this.#open(""));
        this.#input.addEventListener("input", () => this.#typed());
        this.#input.addEventListener("keydown", (event) => this.#key(event));
        this.#input.addEventListener("blur", () => this.#left());
        byId("choose").addEventListener("submit", (event) => event.preventDefault());
        // Otherwise the press moves the focus, and the list closes.
        this.#list.addEventListener("mousedown", (event) => event.preventDefault());
        this.#list.addEventListener("click", (event) => {
            const index = [...this.#list.children].indexOf(event.target.closest("[role=option]"));
            if (index >= 0) this.#choose(index);
        });
    }

    /** Shows the current board. */
    show({ kind, subject }) {
        this.#kind = kind;
        this.#subject = subject;
        // Assigning the same value would clear the selection.
        if (!this.#isTyped && this.#input.value !== subject) this.#input.value = subject;
    }

    #typed() {
        this.#isTyped = true;
        // What was marked is not what is typed now.
        this.#mark(-1);
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#open(this.#input.value), TYPING_MS);
    }

    /** Lists the boards that begin with `text`. They directly follow `text` in the order, so reading from there skips others. */
    async #open(text) {
        this.#turn += 1;
        const turn = this.#turn;
        const { boards, next } = await this.#page(text);
        if (turn !== this.#turn || document.activeElement !== this.#input) return;
        this.#text = text;
        this.#choices = text === "" ? [] : [text];
        this.#active = -1;
        this.#list.replaceChildren();
        this.#add(boards, next);
    }

    async #page(after) {
        try {
            return await api.boards(this.#kind, after, PAGE);
        } catch {
            // A subject can still be typed.
            return { boards: [], next: null };
        }
    }

    #add(boards, next) {
        const subjects = boards.map((board) => board.subject).filter((subject) => subject.startsWith(this.#text));
        this.#after = subjects.length === boards.length ? next : null;
        this.#choices = [...this.#choices.filter((choice) => choice !== MORE), ...subjects];
        if (this.#after) this.#choices.push(MORE);
        this.#list.replaceChildren(...this.#choices.map((choice, at) => {
            const option = element("div", { role: "option", id: `boards-${at}`, "aria-selected": "false" });
            if (choice === MORE) option.append(word("boards.more"));
            else option.append(foreign(choice));
            if (choice === MORE) option.classList.add("more");
            if (choice === this.#subject) option.classList.add("now");
            return option;
        }));
        this.#expand(this.#choices.length > 0);
        this.#mark(this.#active);
    }

    #expand(isOpen) {
        this.#list.hidden = !isOpen;
        this.#input.setAttribute("aria-expanded", String(isOpen));
        if (!isOpen) this.#mark(-1);
    }

    #mark(at) {
        this.#active = at;
        [...this.#list.children].forEach((option, index) => option.setAttribute("aria-selected", String(index === at)));
        if (at >= 0) {
            this.#input.setAttribute("aria-activedescendant", `boards-${at}`);
            this.#list.children[at].scrollIntoView({ block: "nearest" });
        } else {
            this.#input.removeAttribute("aria-activedescendant");
        }
    }

    async #choose(at) {
        const choice = this.#choices[at];
        if (choice !== MORE) {
            this.#take(choice);
            return;
        }
        const turn = this.#turn;
        const { boards, next } = await this.#page(this.#after);
        if (turn !== this.#turn) return;
        this.#add(boards, next);
    }

    #take(subject) {
        this.#isTyped = false;
        this.#turn += 1;
        clearTimeout(this.#timer);
        this.#expand(false);
        this.#input.value = subject;
        // Select all, so that typing replaces the name.
        if (document.activeElement === this.#input) this.#input.select();
        if (subject !== "" && subject !== this.#subject) this.#go({ subject, member: "" });
    }

    /** Leaves the input with the board that is shown. */
    #left() {
        this.#isTyped = false;
        this.#turn += 1;
        clearTimeout(this.#timer);
        this.#expand(false);
        this.#input.value = this.#subject;
    }

    #key(event) {
        const isOpen = !this.#list.hidden;
        const last = this.#choices.length - 1;
        if (event.key === "Enter") {
            event.preventDefault();
            if (isOpen && this.#active >= 0) this.#choose(this.#active);
            else this.#take(this.#input.value);
        } else if (event.key === "Escape" && (isOpen || this.#isTyped)) {
            event.preventDefault();
            this.#left();
        } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault();
            const step = event.key === "ArrowDown" ? 1 : -1;
            if (!isOpen) this.#open(this.#isTyped ? this.#input.value : "");
            else this.#mark(this.#active + step < 0 || this.#active < 0 && step < 0 ? last : (this.#active + step) % (last + 1));
        }
    }
}
