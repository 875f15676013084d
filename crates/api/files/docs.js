/**
 * The page that shows the API: a start page, and a page for each group of operations. It reads `openapi.json` of this
 * server. The hash of the URL says what is shown: `#/reading` a group, `#top` an operation in its group.
 */

import { contractOf, selected } from "./docs-contract.js";
import { Find } from "./docs-find.js";
import { methodOf, route } from "./docs-route.js";
import { Schemas } from "./docs-schema.js";
import { Index } from "./docs-search.js";
import { words } from "./docs-words.js";
import { byId, element } from "./dom.js";

class Docs {
    #contract;
    #schemas;
    /** The group on the page: null is the start page, undefined nothing yet. */
    #shown;
    /** The operations of the groups that were shown: what was typed into their forms stays. */
    #routes = new Map();
    /** Has the event `leave` when a group is left. */
    #leaving = new EventTarget();

    constructor(document) {
        this.#contract = contractOf(document);
        this.#schemas = new Schemas(document);
    }

    start() {
        new Find(new Index(this.#contract, this.#schemas), (operation) => this.#go(`#${operation.id}`));
        addEventListener("hashchange", () => this.#show(true));
        byId("skip").addEventListener("click", (event) => {
            event.preventDefault();
            byId("routes").focus();
        });
        this.#show(location.hash.length > 1);
    }

    #go(hash) {
        if (location.hash === hash) this.#show(true);
        else location.hash = hash;
    }

    /** Shows what the hash selects, and moves the focus there if a person has chosen it. */
    #show(isChosen) {
        const { group, operation, unknown } = selected(this.#contract, location.hash);
        if (group !== this.#shown) {
            this.#leaving.dispatchEvent(new Event("leave"));
            this.#shown = group;
            if (group) this.#group(group);
            else this.#startPage();
        }
        byId("unknown").textContent = unknown === null ? "" : `The API has no group or operation “${unknown}”.`;
        this.#contents(group, operation);
        if (!isChosen) return;
        if (operation) {
            const section = byId(operation.id);
            section.scrollIntoView();
            section.focus({ preventScroll: true });
        } else {
            scrollTo(0, 0);
            byId("routes").focus({ preventScroll: true });
        }
    }

    #title(text, description) {
        const { title, version } = this.#contract.info;
        document.title = text === null ? `${title}: the API` : `${text} – ${title}: the API`;
        byId("title").textContent = text ?? `${title} ${version}: the API`;
        byId("about").replaceChildren(...words(description));
    }

    #startPage() {
        this.#title(null, this.#contract.info.description);
        const cards = this.#contract.groups.map((group) => element("section", { class: "group-card" },
            element("h2", {}, element("a", { href: `#${group.id}` }, group.name)),
            ...words(group.description), this.#links(group)));
        byId("groups").replaceChildren(element("div", { class: "group-cards" }, ...cards));
    }

    #group(group) {
        this.#title(group.name, group.description);
        if (!this.#routes.has(group)) {
            this.#routes.set(group, group.operations.map((operation) => route(this.#schemas, operation, this.#leaving)));
        }
        const routes = this.#routes.get(group);
        const at = this.#contract.groups.indexOf(group);
        const way = (other, text) => other ? element("a", { href: `#${other.id}` }, text(other.name)) : element("span");
        byId("groups").replaceChildren(...routes, element("nav", { class: "turns", "aria-label": "Neighbours" },
            way(this.#contract.groups[at - 1], (name) => `← ${name}`),
            way(this.#contract.groups[at + 1], (name) => `${name} →`)));
    }

    /** Returns the links to a group's operations. */
    #links(group, current = null) {
        const links = group.operations.map((operation) => element("a", {
            href: `#${operation.id}`, "aria-current": operation === current ? "location" : null,
        }, methodOf(operation), element("span", {}, operation.summary)));
        return element("ul", {}, ...links.map((link) => element("li", {}, link)));
    }

    /** Shows the groups, and the operations of the current one. */
    #contents(current, operation) {
        const link = (id, name, isCurrent) => element("a", {
            class: "group-link", href: `#${id}`, "aria-current": isCurrent ? "page" : null,
        }, name);
        const groups = this.#contract.groups.map((group) => element("li", {},
            link(group.id, group.name, group === current),
            group === current ? this.#links(group, operation) : null));
        const overview = element("li", {}, link("/", "Overview", current === null));
        byId("contents").replaceChildren(element("ul", {}, overview, ...groups));
    }
}

try {
    const response = await fetch("openapi.json");
    new Docs(await response.json()).start();
} catch (error) {
    byId("about").append(element("p", { role: "alert" }, `openapi.json could not be read: ${error.message}`));
}
