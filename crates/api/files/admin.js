/**
 * The admin page: the hash of its address says which view is shown. Every view is a module that fills a `Page`. It asks
 * for a key if the server wants one, and says if the key is not an admin's.
 */

import * as admin from "./admin-api.js";
import { audit } from "./admin-audit.js";
import { board } from "./admin-board.js";
import { keys } from "./admin-keys.js";
import { kinds } from "./admin-kinds.js";
import { member } from "./admin-member.js";
import { members } from "./admin-members.js";
import { overview } from "./admin-overview.js";
import { Page } from "./admin-page.js";
import { hashOf, reason } from "./admin-parts.js";
import * as api from "./api.js";
import { byId, element } from "./dom.js";
import { keyForm } from "./keyform.js";
import { languageChoice, themeSwitch } from "./looks.js";
import { label, word } from "./words.js";

/** The views by the first part of the address. A further part of it selects the second one. */
const VIEWS = {
    overview: [overview], kinds: [kinds, kinds], boards: [kinds, board], members: [members, member], audit: [audit], keys: [keys],
};

/** The sections with their words, the first one first, and the other views that belong to them. */
const SECTIONS = {
    overview: "admin.overview", kinds: "admin.kinds", members: "admin.members", audit: "admin.audit", keys: "admin.keys",
};
const SECTION_OF = { boards: "kinds" };

/** Any member: whether it is hidden is a question that only an admin key may ask. */
const ANYBODY = "anybody";

let leaving = new AbortController();

/** The view that is shown: the path of its address, and its page. */
let shown = null;

function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return "";
    }
}

/** Parses the address: `#/kinds/gifts?order=subject`. */
function address() {
    const [, path = "", query = ""] = /^#\/([^?]*)\??(.*)$/s.exec(location.hash) ?? [];
    const [name, ...parts] = path.split("/").map(decoded);
    return {
        path,
        name: Object.hasOwn(VIEWS, name) ? name : "overview",
        parts: parts.filter((part) => part !== ""),
        query: new URLSearchParams(query),
    };
}

function showSections(name) {
    const current = SECTION_OF[name] ?? name;
    byId("sections").replaceChildren(...Object.entries(SECTIONS).map(([section, key]) => element("a", {
        href: hashOf(section), "aria-current": section === current ? "page" : null,
    }, word(key))));
}

function isRefused(error) {
    return error instanceof api.Problem && error.status === 401;
}

/**
 * Shows what the address says. The last view is gone at once, so that nobody types into what is about to be drawn again;
 * with another query alone it stays.
 */
async function show({ isChosen = false } = {}) {
    const { path, name, parts, query } = address();
    if (shown?.path === path) {
        await shown.page.turn(query);
        return;
    }
    leaving.abort();
    leaving = new AbortController();
    const { signal } = leaving;
    shown = null;
    showSections(name);
    const hadFocus = byId("view").contains(document.activeElement);
    byId("view").replaceChildren(element("p", { class: "none" }, word("admin.looking")));
    if (isChosen) scrollTo(0, 0);
    if (isChosen || hadFocus) byId("view").focus({ preventScroll: true });
    try {
        // Refuses names that no path can have.
        api.pathOf(...parts);
        const known = await admin.changeable((await api.kinds()).kinds);
        if (signal.aborted) return;
        const [all, one] = VIEWS[name];
        shown = { path, page: new Page({ parts, query: address().query }, known, signal) };
        await (parts.length > 0 && one ? one : all)(shown.page);
    } catch (error) {
        if (signal.aborted) return;
        shown = null;
        if (isRefused(error)) refuse(error);
        else instead(word("admin.failed"), element("p", {}, reason(error)), retry());
    }
}

function instead(title, ...parts) {
    byId("view").replaceChildren(element("div", { class: "card" }, element("h1", {}, title), ...parts));
}

function retry() {
    const button = element("button", { type: "button", class: "act" }, word("again"));
    button.addEventListener("click", start);
    return button;
}

/** Asks for a key, or for another one. */
function refuse(problem) {
    leaving.abort();
    byId("sections").hidden = true;
    const [why, form, kept] = keyForm(problem, start, word("admin.open"));
    const isOther = problem.status === 403;
    if (isOther) why.replaceChildren(word("admin.other.why"), element("br"), reason(problem));
    document.title = `${word("admin")} – Megaboard`;
    instead(word(isOther ? "admin.other.title" : "key.title"), why, form, kept);
    byId("key").focus();
}

async function start() {
    shown = null;
    byId("forget").hidden = api.key() === null;
    try {
        await admin.hiddenIn(ANYBODY);
        byId("sections").hidden = false;
        await show();
    } catch (error) {
        if (error instanceof api.Problem && error.wantsKey) refuse(error);
        else instead(word("admin.failed"), element("p", {}, reason(error)), retry());
    }
}

label();
languageChoice();
themeSwitch();
byId("forget").addEventListener("click", () => {
    api.setKey(null);
    start();
});
byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    byId("view").focus();
});
addEventListener("hashchange", () => {
    if (!byId("sections").hidden) show({ isChosen: true });
});
start();
