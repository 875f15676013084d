/** The field that a board is chosen in: a combobox over the boards of a kind, which takes any other subject, too. */

import * as api from "./api.js";
import { byId, element, foreign } from "./dom.js";

/** Boards of one request. */
const PAGE = 50;

/** Typing has paused. */
const TYPING_MS = 150;

const MORE = Symbol("more");

export class Boards {
    #kind = "";
    #subject = "";
    #go;
    #input = byId("subject");
    #list = byId("boards");
    /** What the boards of the list begin with. */
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
        // A press on a choice would take the focus, and with it the list.
        this.#list.addEventListener("mousedown", (event) => event.preventDefault());
        this.#list.addEventListener("click", (event) => {
            const at = [...this.#list.children].indexOf(event.target.closest("[role=option]"));
            if (at >= 0) this.#choose(at);
        });
    }

    /** What is shown now. */
    show({ kind, subject }) {
        this.#kind = kind;
        this.#subject = subject;
        const isTyping = document.activeElement === this.#input && !this.#list.hidden;
        // Setting what is there already would lose what is selected.
        if (!isTyping && this.#input.value !== subject) this.#input.value = subject;
    }

    #typed() {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#open(this.#input.value), TYPING_MS);
    }

    /** Boards that begin with a text. Those behind it in the order come first, so that no page of others is read. */
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
            // Any subject may be typed all the same.
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
            if (choice === MORE) option.append("More boards…");
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
        [...this.#list.children].forEach((option, place) => option.setAttribute("aria-selected", String(place === at)));
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
        this.#turn += 1;
        clearTimeout(this.#timer);
        this.#expand(false);
        this.#input.value = subject;
        // What is typed next is another board, not more of this one's name.
        if (document.activeElement === this.#input) this.#input.select();
        if (subject !== "" && subject !== this.#subject) this.#go({ subject, member: "" });
    }

    #left() {
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
        } else if (event.key === "Escape" && isOpen) {
            event.preventDefault();
            this.#expand(false);
            this.#input.value = this.#subject;
        } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault();
            const step = event.key === "ArrowDown" ? 1 : -1;
            if (!isOpen) this.#open("");
            else this.#mark(this.#active + step < 0 || this.#active < 0 && step < 0 ? last : (this.#active + step) % (last + 1));
        }
    }
}
