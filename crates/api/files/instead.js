/** The window that is shown if the URL names none, and the kind's first window has no members yet. */

import * as api from "./api.js";
import { byId, setText } from "./dom.js";
import { byLength, windowLabel, windowPhrase } from "./windows.js";
import { word } from "./words.js";

export class Instead {
    #go;
    /** The board for which a window was found, and this window. */
    #found = { kind: "", subject: "", window: "" };

    /** `go(change)` changes what the page shows. */
    constructor(go) {
        this.#go = go;
    }

    /** Returns the window to show of a board if the URL names none. */
    of(kind, { subject }) {
        const isFound = this.#found.kind === kind.kind && this.#found.subject === subject;
        return isFound ? this.#found.window : kind.windows[0];
    }

    /** Looks for the shortest window of a board that has members; returns whether there is one. */
    async find(kind, { subject }) {
        const board = { kind: kind.kind, subject };
        for (const window of byLength(kind.windows.slice(1))) {
            if (await api.members(board, window) > 0) {
                this.#found = { ...board, window };
                return true;
            }
        }
        return false;
    }

    /** Says which window is shown instead of the first, if that is so. */
    show(kind, window, isChosen) {
        const line = byId("instead");
        const [first] = kind.windows;
        line.hidden = isChosen || window === first;
        if (line.hidden) return;
        setText(line.firstElementChild, word("instead", { when: windowPhrase(first), window: windowLabel(window) }));
        setText(line.lastElementChild, word("instead.back", { window: windowLabel(first) }));
        line.lastElementChild.onclick = () => this.#go({ window: first });
    }
}
