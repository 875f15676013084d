/** Choice of the kind, the window and the number of rows. The board is chosen in `boards.js`. */

import { byId, element, renew } from "./dom.js";
import { DEPTHS } from "./state.js";
import { periodOf, windowLabel } from "./windows.js";
import { word } from "./words.js";

export class Choose {
    /** The window that is shown. */
    #window = "";

    /** `go(change)` changes what the page shows. */
    constructor(go) {
        byId("kind").addEventListener("change", (event) => go({ kind: event.target.value, subject: "", window: "", member: "" }));
        // Not only changes: of a window of the past the tab of its period is checked, and leads to the live one.
        byId("windows").addEventListener("click", ({ target }) => {
            if (target.matches("input") && target.value !== this.#window) go({ window: target.value });
        });
        byId("depth").addEventListener("change", (event) => go({ n: Number(event.target.value) }));
    }

    /** Fills the list of kinds. */
    kinds(kinds) {
        renew(byId("kind"), ...kinds.map(({ kind }) => element("option", { value: kind }, kind)));
    }

    /** Shows the current choice. */
    show(kind, state) {
        byId("kind").value = state.kind;
        byId("tools").hidden = state.subject === "";
        this.#window = state.window;
        const period = periodOf(state.window, kind);
        const current = kind.windows.includes(period) ? period : state.window;
        const windows = current === period ? kind.windows : [...kind.windows, current];
        const shown = [...byId("windows").querySelectorAll("input")].map((input) => input.value);
        if (windows.join() !== shown.join()) {
            byId("windows").replaceChildren(byId("windows").firstElementChild, ...windows.map(windowChoice));
        }
        for (const input of byId("windows").querySelectorAll("input")) input.checked = input.value === current;
        const depths = new Set([...DEPTHS, state.n].map((n) => Math.min(n, kind.top)));
        renew(byId("depth"), ...[...depths].sort((a, b) => a - b).map((n) => element("option", { value: n }, word("depth.top", { count: n }))));
        byId("depth").value = String(state.n);
    }
}

function windowChoice(window) {
    const input = element("input", { type: "radio", name: "window", value: window });
    return element("label", {}, input, element("span", {}, windowLabel(window)));
}
