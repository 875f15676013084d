/** Choice of the kind, the window, the number of rows, and the theme. The board is chosen in `boards.js`. */

import { byId, element } from "./dom.js";
import { windowLabel } from "./format.js";
import { DEPTHS } from "./state.js";

export class Choose {
    /** `go(change)` changes what the page shows. */
    constructor(go) {
        byId("kind").addEventListener("change", (event) => go({ kind: event.target.value, subject: "", window: "", member: "" }));
        byId("windows").addEventListener("change", (event) => go({ window: event.target.value }));
        byId("depth").addEventListener("change", (event) => go({ n: Number(event.target.value) }));
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
        const windows = kind.windows.includes(state.window) ? kind.windows : [...kind.windows, state.window];
        const shown = [...byId("windows").querySelectorAll("input")].map((input) => input.value);
        if (windows.join() !== shown.join()) {
            byId("windows").replaceChildren(byId("windows").firstElementChild, ...windows.map(windowChoice));
        }
        for (const input of byId("windows").querySelectorAll("input")) input.checked = input.value === state.window;
        const depths = new Set([...DEPTHS, state.n].map((n) => Math.min(n, kind.top)));
        byId("depth").replaceChildren(...[...depths].sort((a, b) => a - b).map((n) => element("option", { value: n }, `Top ${n}`)));
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
