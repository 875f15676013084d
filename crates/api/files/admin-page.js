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
    #query;
    #follow = () => {};

    /** `parts` and `query` are those of the address; `leaving` is aborted when another view is shown. */
    constructor({ parts, query }, kinds, leaving) {
        Object.assign(this, { parts, kinds, leaving });
        this.#query = query;
    }

    /**
     * Calls `show(query)` with the query of the address, now and whenever it changes: then the view stays, with all that
     * was typed into it.
     */
    follow(show) {
        this.#follow = show;
        return show(this.#query);
    }

    /** Says that the query of the address has changed. */
    turn(query) {
        this.#query = query;
        return this.#follow(query);
    }

    /** Sets a parameter of the address, without an entry in the browser's history. An empty one is left out. */
    note(name, value) {
        if (this.leaving.aborted) return;
        if (value === "") this.#query.delete(name);
        else this.#query.set(name, value);
        history.replaceState(null, "", this.addressWith({}));
    }

    /** Returns the address of this view with other parameters; null leaves one out. */
    addressWith(params) {
        const query = new URLSearchParams(this.#query);
        for (const [name, value] of Object.entries(params)) {
            if (value === null) query.delete(name);
            else query.set(name, value);
        }
        const [path] = location.hash.split("?");
        return query.size > 0 ? `${path}?${query}` : path;
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

    /** Goes to another view, which shows this result, unless another one was chosen meanwhile. */
    leave(hash, ...result) {
        if (this.leaving.aborted) return;
        carried = result;
        location.hash = hash;
    }

    /** Runs an action again and again, with a pause of `ms`, while the tab is visible and until the view is left. */
    every(ms, action) {
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
