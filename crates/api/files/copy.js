/** A command with a copy button; without clipboard access the text is selected instead. */

import { element, setText } from "./dom.js";
import { word } from "./words.js";

/** How long the button shows the result. */
const SAID_MS = 4000;

/** Returns a command with its button, which copies what is shown then. The command scrolls, so it must be focusable. */
export function command(label, text) {
    const code = element("code", {}, text);
    const button = element("button", { type: "button", class: "copy" }, word("copy"));
    let timer = 0;
    button.addEventListener("click", async () => {
        const isCopied = await copied(code.textContent);
        if (!isCopied) getSelection().selectAllChildren(code);
        setText(button, word(isCopied ? "copied" : "copy.failed"));
        clearTimeout(timer);
        timer = setTimeout(() => setText(button, word("copy")), SAID_MS);
    });
    return element("div", { class: "command" },
        element("pre", { tabindex: "0", role: "region", "aria-label": label }, code), button);
}

/** Copies to the clipboard and returns whether that succeeded. Browsers refuse it for pages from other hosts without TLS. */
async function copied(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        return false;
    }
}
