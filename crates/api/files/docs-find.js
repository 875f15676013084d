/** The search box: a combobox with the operations that are found, over all groups. */

import { byId, element } from "./dom.js";
import { explanationsOf, stem, wordsOf } from "./docs-search.js";

/** The maximum length of an explanation. */
const EXPLANATION_MAX = 160;

/** Words that find something, for those who found nothing. */
const HINTS = ["rank", "prize", "ban", "import", "live", "reset"];

/** Returns a text whose words with these stems are marked. */
function marked(text, stems) {
    return text.split(/([\p{L}\p{N}]+)/u).map((part, at) =>
        at % 2 === 1 && stems.has(stem(part.toLowerCase())) ? element("mark", {}, part) : part);
}

function hasAny(text, stems) {
    return wordsOf(text).some((word) => stems.has(stem(word)));
}

/** Returns the part of a text around its first word with one of these stems. */
function around(text, stems) {
    if (text.length <= EXPLANATION_MAX) return text;
    const first = wordsOf(text).find((word) => stems.has(stem(word)));
    const from = Math.max(0, text.toLowerCase().indexOf(first) - EXPLANATION_MAX / 2);
    const part = text.slice(from, from + EXPLANATION_MAX);
    return `${from > 0 ? "…" : ""}${part.trim()}${from + EXPLANATION_MAX < text.length ? "…" : ""}`;
}

export class Find {
    #index;
    #go;
    #found = [];
    #active = -1;
    #input = byId("sift");
    #popup = byId("hits");
    #list = byId("hits-list");

    /** `go(operation)` shows an operation. */
    constructor(index, go) {
        this.#index = index;
        this.#go = go;
        this.#input.addEventListener("input", () => this.#search());
        this.#input.addEventListener("focus", () => this.#search());
        this.#input.addEventListener("blur", () => this.#expand(false));
        this.#input.addEventListener("keydown", (event) => this.#key(event));
        // Otherwise the press moves the focus, and the list closes.
        this.#popup.addEventListener("mousedown", (event) => event.preventDefault());
        this.#popup.addEventListener("click", (event) => this.#click(event));
        document.addEventListener("keydown", (event) => {
            const isTyping = event.target.closest?.("input, textarea, select, dialog");
            if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
            event.preventDefault();
            this.#input.focus();
            this.#input.select();
        });
    }

    #search() {
        const text = this.#input.value;
        const { results, instead } = this.#index.search(text);
        this.#found = results;
        this.#active = -1;
        this.#list.replaceChildren(...results.map((result, at) => this.#option(result, at)));
        this.#list.hidden = results.length === 0;
        byId("nothing").replaceChildren(...this.#said(text, results, instead));
        this.#expand(wordsOf(text).length > 0);
        this.#mark(results.length > 0 ? 0 : -1);
    }

    #option({ operation, stems }, at) {
        const why = hasAny(operation.summary, stems)
            ? null
            : explanationsOf(operation).find((text) => hasAny(text, stems));
        return element("div", { role: "option", id: `hit-${at}`, "aria-selected": "false" },
            element("span", { class: "method", "data-method": operation.method }, operation.method.toUpperCase()),
            element("span", { class: "hit" }, ...marked(operation.summary, stems),
                element("span", { class: "where" }, ...marked(operation.path, stems)),
                why ? element("span", { class: "why" }, ...marked(around(why, stems), stems)) : null),
            element("span", { class: "group" }, operation.group.name));
    }

    #said(text, results, instead) {
        if (results.length > 0) {
            const count = results.length === 1 ? "1 operation" : `${results.length} operations`;
            return [instead ? `${count} for “${instead}”: no operation has “${text}”` : count];
        }
        const button = (hint) => element("button", { type: "button", tabindex: "-1", "data-hint": hint }, hint);
        const hints = HINTS.map(button);
        return [`No operation has “${text}”. Words that find something: `, ...hints, " or choose a group."];
    }

    #expand(isOpen) {
        this.#popup.hidden = !isOpen;
        this.#input.setAttribute("aria-expanded", String(isOpen && this.#found.length > 0));
        if (!isOpen) this.#mark(-1);
    }

    #mark(at) {
        this.#active = at;
        [...this.#list.children].forEach((option, index) => option.setAttribute("aria-selected", String(index === at)));
        if (at >= 0) {
            this.#input.setAttribute("aria-activedescendant", `hit-${at}`);
            this.#list.children[at].scrollIntoView({ block: "nearest" });
        } else {
            this.#input.removeAttribute("aria-activedescendant");
        }
    }

    #click(event) {
        const hint = event.target.closest("[data-hint]");
        if (hint) {
            this.#input.value = hint.dataset.hint;
            this.#search();
        }
        const at = [...this.#list.children].indexOf(event.target.closest("[role=option]"));
        if (at >= 0) this.#choose(at);
    }

    #choose(at) {
        const { operation } = this.#found[at];
        this.#expand(false);
        this.#go(operation);
    }

    #key(event) {
        const isOpen = !this.#popup.hidden;
        const count = this.#found.length;
        if (event.key === "Enter" && isOpen && this.#active >= 0) {
            event.preventDefault();
            this.#choose(this.#active);
        } else if (event.key === "Escape") {
            event.preventDefault();
            if (isOpen) this.#expand(false);
            else this.#input.value = "";
        } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault();
            const step = event.key === "ArrowDown" ? 1 : -1;
            if (!isOpen) this.#search();
            else if (count > 0) this.#mark((this.#active + step + count) % count);
        }
    }
}
