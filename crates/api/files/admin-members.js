/** Finding a member by name, and the hidden members of each kind. */

import * as admin from "./admin-api.js";
import { hashOf, link, panel, searchForm } from "./admin-parts.js";
import { element, foreign } from "./dom.js";
import { phrase, word } from "./words.js";

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

/**
 * Whether a member is known: a kind hides it, or a board ranks it in a current window. There is no index of members: the
 * boards are looked at kind by kind, up to the first that ranks it.
 */
async function isKnown(page, member) {
    if ((await admin.hiddenIn(member)).length > 0) return true;
    let looked = 0;
    for (const { kind } of page.kinds) {
        let after = "";
        while (after !== null && !page.leaving.aborted) {
            const read = await admin.boardsOf(member, kind, after, 1);
            if (read.boards.length > 0) return true;
            after = read.next;
            looked += read.looked_at;
            page.line.say("busy", word("admin.looked", { count: looked }));
        }
    }
    return false;
}

/** Returns the search. It opens the page of a member that is known, and says so of another one. */
function search(page) {
    const said = element("p", { class: "none", role: "status" });
    let turn = 0;
    const find = async (member) => {
        turn += 1;
        const own = turn;
        said.replaceChildren();
        page.line.say("busy", word("admin.looking"));
        let known = null;
        await page.line.run(async () => { known = await isKnown(page, member); });
        if (own !== turn || known === null || page.leaving.aborted) return;
        page.line.say("");
        const href = hashOf("members", member);
        if (known) location.hash = href;
        else said.replaceChildren(...phrase("admin.nobody", { member: element("b", {}, foreign(member)) }), " ",
            element("a", { href }, word("admin.nobody.way")));
    };
    return panel(word("find"), [], searchForm({
        id: "find-member", label: word("find"), hint: word("admin.find.hint"), go: word("find.go"), onText: find,
    }), said);
}

/** Shows the search, and who is hidden. */
export async function members(page) {
    page.begin(word("admin.members"), { about: word("admin.members.about") });
    page.add(search(page));
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
