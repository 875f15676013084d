/** A command that is taken along: to the clipboard, or marked for the keyboard where there is none. */

import { element, setText } from "./dom.js";

/** How long it is said what became of it. */
const SAID_MS = 4000;

/** A command with its button. It scrolls, so that a keyboard has to reach it. */
export function command(label, text) {
    const code = element("code", {}, text);
    const button = element("button", { type: "button", class: "copy" }, "Copy");
    let timer = 0;
    button.addEventListener("click", async () => {
        const isCopied = await copied(text);
        if (!isCopied) getSelection().selectAllChildren(code);
        setText(button, isCopied ? "Copied" : "Press Ctrl+C");
        clearTimeout(timer);
        timer = setTimeout(() => setText(button, "Copy"), SAID_MS);
    });
    return element("div", { class: "command" },
        element("pre", { tabindex: "0", role: "region", "aria-label": label }, code), button);
}

/** Whether it is in the clipboard now. Browsers have none for a page that came without TLS from another host, and may refuse. */
async function copied(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        return false;
    }
}
