/** What a view of the admin page gets: its address, the element that it fills, and the end of its time. */

import { byId, element } from "./dom.js";
import { Line, reason } from "./admin-parts.js";
import { word } from "./words.js";

/** The result that the next view shows: of an action after which its own view has nothing to show. */
let carried = null;

export class Page {
    /** The result of actions. */
    line = new Line();
    #body = byId("view");

    /** `parts` and `query` are those of the address; `leaving` is aborted when another view is shown. */
    constructor({ parts, query }, kinds, leaving) {
        Object.assign(this, { parts, query, kinds, leaving });
    }

    /** Begins the view: its heading, links to the views above it, a line about it, and buttons. */
    begin(title, { above = [], about = null, tools = [], name = title } = {}) {
        document.title = `${name} – ${word("admin")} – Megaboard`;
        const crumbs = above.map(([text, href]) => element("a", { href }, text));
        this.#body.replaceChildren(
            element("div", { class: "view-head" },
                element("div", { class: "view-title" },
                    crumbs.length === 0 ? null
                        : element("nav", { class: "crumbs", "aria-label": word("admin.above") }, ...crumbs),
                    element("h1", {}, title),
                    about === null ? null : element("p", { class: "about" }, about)),
                element("div", { class: "view-tools" }, ...tools)),
            this.line.element);
        if (carried !== null) this.line.say(...carried);
        carried = null;
    }

    /** Adds elements to the view, unless it was left. */
    add(...parts) {
        if (!this.leaving.aborted) this.#body.append(...parts.filter((part) => part !== null));
    }

    /** Goes to another view, which shows this result. */
    leave(hash, ...result) {
        carried = result;
        location.hash = hash;
    }

    /** Runs an action, and then again after each `ms`, while the tab is visible and until the view is left. */
    async every(ms, action) {
        await action();
        const again = async () => {
            if (this.leaving.aborted) return;
            if (document.visibilityState === "visible") await action();
            setTimeout(again, ms);
        };
        setTimeout(again, ms);
    }

    /** Shows why a part of the view cannot be shown. */
    trouble(error) {
        return element("p", { class: "trouble", role: "alert" }, reason(error));
    }
}
