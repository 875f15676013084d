/** What the views of the admin page are made of: panels, tables, buttons, and the line that shows a result. */

import { Problem } from "./api.js";
import { drawn, element, foreign } from "./dom.js";
import { number } from "./numbers.js";
import { word } from "./words.js";

/** Returns a box with a heading; `tools` are beside the heading. */
export function panel(title, tools, ...parts) {
    return element("section", { class: "panel" }, panelHead(element("h2", {}, title), tools), ...parts);
}

/** Returns the head of a box: a heading, and what is beside it. */
export function panelHead(heading, tools) {
    return element("div", { class: "panel-head" }, heading, element("div", { class: "panel-tools" }, ...tools));
}

/** Returns a table: `heads` are its headings, each row a list of cells, which are nodes or texts. */
export function table(label, heads, rows) {
    const body = element("tbody", { role: "rowgroup" }, ...rows.map((cells) => row(heads, cells)));
    const top = element("tr", { role: "row" },
        ...heads.map((head) => element("th", { role: "columnheader", scope: "col" }, head)));
    return element("table", { class: "list", role: "table", "aria-label": label },
        element("thead", { role: "rowgroup" }, top), body);
}

/**
 * Returns a row of a table with these headings. On narrow screens each cell shows its heading. `key` tells it from the
 * other rows of a table that is drawn again and again.
 */
export function row(heads, cells, key = null) {
    return element("tr", { role: "row", "data-key": key }, ...cells.map((cell, at) =>
        element("td", { role: "cell", "data-label": heads[at] }, element("div", { class: "cell" }, ...[cell].flat()))));
}

/** Returns pairs of a name and a value. */
export function facts(pairs) {
    return element("dl", { class: "facts" }, ...pairs.map(([name, value]) =>
        element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

/** Returns a short text with a colour: `good`, `warn`, `bad` or none. */
export function badge(text, state = "") {
    return element("span", { class: "badge", "data-state": state }, text);
}

/** Returns a button that is disabled while its action runs. */
export function button(text, action, { isDanger = false } = {}) {
    const made = element("button", { type: "button", class: isDanger ? "act danger" : "act" }, text);
    made.addEventListener("click", async () => {
        if (made.getAttribute("aria-disabled") === "true") return;
        made.setAttribute("aria-disabled", "true");
        try {
            await action();
        } finally {
            made.removeAttribute("aria-disabled");
        }
    });
    return made;
}

/** Marks the current one of some tabs, which are links by name. */
export function markCurrent(tabs, current) {
    for (const [name, tab] of Object.entries(tabs)) {
        if (name === current) tab.setAttribute("aria-current", "true");
        else tab.removeAttribute("aria-current");
    }
}

/** Returns a link; `text` may be other people's. */
export function link(href, text) {
    return element("a", { href }, foreign(text));
}

/** Returns a form with one input and a button; calls `go(text)`. */
export function searchForm({ id, label, hint, go, onText }) {
    const input = element("input", {
        id, type: "text", dir: "auto", autocomplete: "off", spellcheck: "false", autocapitalize: "off",
        maxlength: "128", placeholder: hint, enterkeyhint: "search",
    });
    const form = element("form", { class: "search", role: "search", autocomplete: "off" },
        element("label", { for: id, class: "unseen" }, label), input, element("button", { type: "submit", class: "act" }, go));
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        if (input.value !== "") onText(input.value);
    });
    return form;
}

/** Returns the address of a board, or of one of its members, on the live page. */
export function liveUrl({ kind, subject }, { window = "", member = "" } = {}) {
    const asked = new URLSearchParams([["window", window], ["member", member]].filter(([, value]) => value !== ""));
    const query = asked.size > 0 ? `?${asked}` : "";
    return `./#/${encodeURIComponent(kind)}/${encodeURIComponent(subject)}${query}`;
}

/** Returns the hash of a view of this page. */
export function hashOf(...parts) {
    return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/** Splits `kind/subject`. */
export function boardOf(name) {
    const at = name.indexOf("/");
    return { kind: name.slice(0, at), subject: name.slice(at + 1) };
}

/** Returns what went wrong, for a person. The server's detail is in English. */
export function reason(error) {
    if (error instanceof Problem) return element("span", { lang: "en" }, error.message);
    if (error instanceof DOMException || error instanceof TypeError) return word("no.response");
    throw error;
}

/** The line that shows the result of an action, also to screen readers. */
export class Line {
    element = element("p", { class: "result", role: "status" });

    /** Shows a state: `busy`, `good` or `bad`. */
    say(state, ...parts) {
        this.element.dataset.state = state;
        this.element.replaceChildren(...parts);
    }

    /** Runs an action, and shows its problem if it fails. Returns whether it succeeded. */
    async run(action) {
        try {
            await action();
            return true;
        } catch (error) {
            this.say("bad", element("strong", {}, word("admin.failed")), " ", reason(error));
            return false;
        }
    }
}

const WIDTH = 120;
const HEIGHT = 28;

/** Returns a line of the last values, the newest at the right. It has room for at least `least` values. */
export function sparkline(values, least) {
    const most = Math.max(1e-9, ...values);
    const length = Math.max(least, values.length);
    const x = (at) => WIDTH * (length - values.length + at) / (length - 1);
    const y = (value) => HEIGHT - 2 - (HEIGHT - 4) * value / most;
    const points = values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`);
    const box = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" };
    return drawn("svg", { class: "spark", ...box }, drawn("polyline", { points: points.join(" ") }));
}

/** Formats a rate: one decimal below ten. */
export function rate(value) {
    return number(value < 10 ? Math.round(value * 10) / 10 : Math.round(value));
}
