/** The form for an API key, if the server requires one. The key is kept in this tab only. */

import * as api from "./api.js";
import { element } from "./dom.js";

/** Returns the form's elements; calls `onKey()` when a key was entered. */
export function keyForm(problem, onKey) {
    const wasWrong = api.key() !== null;
    const input = element("input", {
        id: "key", type: "password", autocomplete: "off", spellcheck: "false", required: "", pattern: "[!-~]+", "aria-describedby": "key-why",
    });
    const form = element("form", { class: "key", autocomplete: "off" },
        element("label", { for: "key" }, "API key"), input, element("button", { type: "submit" }, "Show the board"));
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        api.setKey(input.value.trim());
        onKey();
    });
    const why = wasWrong
        ? `The key was rejected: ${problem.message}`
        : "This server requires an API key.";
    return [
        element("h2", {}, "API key required"),
        element("p", { id: "key-why" }, why),
        form,
        element("p", { class: "small" }, "The key is stored in this tab only, and removed when you close the tab."),
    ];
}
