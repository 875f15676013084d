/** The form that asks for an API key, where the server wants one. The key stays in this tab. */

import * as api from "./api.js";
import { element } from "./dom.js";

/** The form's elements; `onKey()` once there is a key to try. */
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
        ? `The key of this tab did not do: ${problem.message}`
        : "This server shows its boards to those who have a key.";
    return [
        element("h2", {}, "A key, please"),
        element("p", { id: "key-why" }, why),
        form,
        element("p", { class: "small" }, "It is kept in this tab alone, and forgotten when you close it."),
    ];
}
