/** Choice of the language and of the theme, in the bar. */

import { byId, element } from "./dom.js";
import { choose, language, LANGUAGES } from "./language.js";

/** Fills the list of languages. */
export function languageChoice() {
    byId("language").replaceChildren(...Object.entries(LANGUAGES).map(([value, name]) =>
        element("option", { value, lang: value }, name)));
    byId("language").value = language;
    byId("language").addEventListener("change", (event) => choose(event.target.value));
}

/** Uses the system's colour scheme until the user chooses one, which is stored. */
export function themeSwitch() {
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
