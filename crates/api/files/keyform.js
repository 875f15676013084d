/** The form for an API key, if the server requires one. The key is kept in this tab only. */

import * as api from "./api.js";
import { byId, element } from "./dom.js";
import { word } from "./words.js";

/** Returns the form's elements, with this word on its button; calls `onKey()` when a key was entered. */
export function keyForm(problem, onKey, go = word("key.show")) {
    const wasWrong = api.key() !== null;
    const input = element("input", {
        id: "key", type: "password", autocomplete: "off", spellcheck: "false", pattern: "[!-~]+", "aria-describedby": "key-why",
        required: wasWrong ? null : "",
    });
    // What was typed while the last key was being checked.
    const typed = byId("key")?.value ?? "";
    if (typed !== (api.key() ?? "")) input.value = typed;
    const form = element("form", { class: "key", autocomplete: "off" },
        element("label", { for: "key" }, word("key.label")), input, element("button", { type: "submit" }, go));
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        api.setKey(input.value.trim() || null);
        onKey();
    });
    const why = wasWrong ? word("key.rejected", { why: problem.message }) : word("key.why");
    return [
        element("p", { id: "key-why" }, why),
        form,
        element("p", { class: "small" }, word("key.kept"), wasWrong ? ` ${word("key.empty")}` : ""),
    ];
}
