/** The dialog before a change of data. Escape, “Cancel” and another view leave it without a change. */

import { element } from "./dom.js";

let dialogs = 0;

/**
 * Asks, and returns whether the change is to be made. `parts` are the elements that describe it, `go` and `cancel` the
 * words on the buttons, `method` the method of the request, by which the button has its colour. `typed`, if there is one, is
 * `{ text, label }`: a text that must be typed first. `check()`, if there is one, returns whether the form in `parts`
 * is complete, and is asked after every input.
 */
export function confirmed({ title, parts, go, method, cancel, typed = null, check = () => true }) {
    dialogs += 1;
    const id = (name) => `confirm-${dialogs}-${name}`;
    const send = element("button", { type: "submit", class: "send", "data-method": method }, go);
    const leave = element("button", { type: "button" }, cancel);
    const input = typed && element("input", {
        id: id("typed"), type: "text", dir: "auto", autocomplete: "off", spellcheck: "false", autocapitalize: "off",
    });
    const field = typed && element("div", { class: "field" },
        element("label", { for: input.id }, ...typed.label), input);
    const form = element("form", { autocomplete: "off" },
        ...parts, field, element("div", { class: "ways" }, leave, send));
    const dialog = element("dialog", { class: "confirm", "aria-labelledby": id("title") },
        element("h2", { id: id("title") }, title), form);
    const isComplete = () => check() && (typed === null || input.value === typed.text);
    const show = () => {
        send.disabled = !isComplete();
    };
    form.addEventListener("input", show);
    show();
    document.body.append(dialog);
    // On another view it would ask about what is no longer shown.
    const leaveWith = () => dialog.close();
    addEventListener("hashchange", leaveWith);
    const answered = new Promise((resolve) => {
        form.addEventListener("submit", (event) => {
            event.preventDefault();
            if (isComplete()) dialog.close("send");
        });
        leave.addEventListener("click", () => dialog.close());
        dialog.addEventListener("close", () => {
            removeEventListener("hashchange", leaveWith);
            dialog.remove();
            resolve(dialog.returnValue === "send");
        });
    });
    dialog.showModal();
    const first = form.querySelector("input") ?? leave;
    first.focus();
    // Typing replaces a value that is there.
    if (first !== leave) first.select();
    return answered;
}
