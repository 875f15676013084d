/** Choice of the kind, the window, the number of rows, the language, and the theme. The board is chosen in `boards.js`. */

import { byId, element } from "./dom.js";
import { choose, language, LANGUAGES } from "./language.js";
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
        byId("language").replaceChildren(...Object.entries(LANGUAGES).map(([value, name]) =>
            element("option", { value, lang: value }, name)));
        byId("language").value = language;
        byId("language").addEventListener("change", (event) => choose(event.target.value));
        themeSwitch();
    }

    /** Fills the list of kinds. */
    kinds(kinds) {
        byId("kind").replaceChildren(...kinds.map(({ kind }) => element("option", { value: kind }, kind)));
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
        byId("depth").replaceChildren(...[...depths].sort((a, b) => a - b).map((n) => element("option", { value: n }, word("depth.top", { count: n }))));
        byId("depth").value = String(state.n);
    }
}

function windowChoice(window) {
    const input = element("input", { type: "radio", name: "window", value: window });
    return element("label", {}, input, element("span", {}, windowLabel(window)));
}

/** Uses the system's colour scheme until the user chooses one, which is stored. */
function themeSwitch() {
    const root = document.documentElement;
    const system = matchMedia("(prefers-color-scheme: dark)");
    const isDark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
    const show = () => byId("theme").setAttribute("aria-pressed", String(isDark()));
    byId("theme").addEventListener("click", () => {
        root.dataset.theme = isDark() ? "light" : "dark";
        try {
            localStorage.setItem("megaboard-theme", root.dataset.theme);
        } catch {
            // Without storage the choice lasts until the page is closed.
        }
        show();
    });
    system.addEventListener("change", show);
    show();
}
