/** Finding a member by name, and the hidden members of each kind. */

import * as admin from "./admin-api.js";
import { hashOf, link, panel, searchForm } from "./admin-parts.js";
import { element, foreign } from "./dom.js";
import { word } from "./words.js";

/** Hidden members that are shown of a kind at first. */
const SHOWN = 100;

function hiddenList(hidden) {
    const items = (names) => names.map((name) => element("li", {}, link(hashOf("members", name), name)));
    const list = element("ul", { class: "chips" }, ...items(hidden.slice(0, SHOWN)));
    if (hidden.length <= SHOWN) return list;
    const more = element("button", { type: "button", class: "act" }, word("admin.hidden.all", { count: hidden.length }));
    more.addEventListener("click", () => {
        list.append(...items(hidden.slice(SHOWN)));
        more.remove();
        list.children[SHOWN].firstElementChild.focus();
    });
    return element("div", {}, list, more);
}

/** Shows the search, and who is hidden. */
export async function members(page) {
    page.begin(word("admin.members"), { about: word("admin.members.about") });
    page.add(panel(word("find"), [], searchForm({
        id: "find-member", label: word("find"), hint: word("find.hint"), go: word("find.go"),
        onText: (member) => { location.hash = hashOf("members", member); },
    })));
    const body = element("div", {});
    page.add(panel(word("admin.hidden.members"), [], body));
    for (const { kind } of page.kinds) {
        const shown = await admin.hidden(kind).then(
            (hidden) => (hidden.length === 0 ? null : hiddenList(hidden)),
            (error) => page.trouble(error),
        );
        if (shown !== null) body.append(element("div", { class: "hidden-of" }, element("h3", {}, foreign(kind)), shown));
    }
    if (body.childElementCount === 0) body.append(element("p", { class: "none" }, word("admin.hidden.none")));
}
