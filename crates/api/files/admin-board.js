/** A board: its settings, its windows, a member of it, and its deletion. */

import * as admin from "./admin-api.js";
import { Standings } from "./admin-standing.js";
import { button, facts, hashOf, liveUrl, panel, searchForm, table } from "./admin-parts.js";
import { confirmed } from "./confirm.js";
import { element, foreign } from "./dom.js";
import { moment } from "./format.js";
import { number } from "./numbers.js";
import { windowName } from "./windows.js";
import { phrase, word } from "./words.js";

function time(at) {
    return at === undefined ? word("admin.unset") : moment(Date.parse(at));
}

/** Shows a board. */
export async function board(page) {
    const [name, subject] = page.parts;
    const kind = page.kinds.find((known) => known.kind === name);
    const at = { kind: name, subject };
    const above = [[word("admin.kinds"), hashOf("kinds")], [name, hashOf("kinds", name)]];
    if (kind === undefined || subject === undefined) {
        page.begin(word("kind.unknown"), { above });
        return;
    }
    const tools = [
        element("a", { class: "act", href: liveUrl(at) }, word("admin.live")),
        button(word("admin.delete"), () => remove(page, at), { isDanger: true }),
    ];
    page.begin(foreign(subject), { above, tools, name: subject });
    const shown = await admin.board(at);
    page.add(panel(word("admin.settings"), [], facts([
        [word("admin.starts"), time(shown.starts_at)],
        [word("admin.ends"), time(shown.ends_at)],
        [word("admin.expires"), shown.expires_after ?? time(shown.expires_at)],
        [word("admin.idle"), shown.idle ?? word("admin.unset")],
        [word("admin.shards"), number(shown.shards)],
        [word("admin.store.name"), shown.store],
    ])));
    const heads = [word("window"), word("admin.members")];
    page.add(panel(word("admin.windows"), [], shown.windows.length === 0
        ? element("p", { class: "none" }, word("board.empty"))
        : table(word("admin.windows"), heads, shown.windows.map(({ window, members }) =>
            [element("a", { href: liveUrl(at, { window }) }, windowName(window)), number(members)]))));
    const found = new Standings(page, kind, at);
    const form = searchForm({
        id: "member-here", label: word("find"), hint: word("admin.find.hint"), go: word("find.go"),
        onText: (member) => {
            page.note("member", member);
            found.show(member);
        },
    });
    page.add(panel(word("admin.member.here"), [], form, found.element));
    await page.follow((query) => {
        const member = query.get("member") ?? "";
        form.querySelector("input").value = member;
        return found.show(member);
    });
}

async function remove(page, { kind, subject }) {
    const name = `${kind}/${subject}`;
    const isMeant = await confirmed({
        title: word("admin.delete.title"),
        parts: [element("p", {}, word("admin.delete.why")), element("p", { class: "named" }, foreign(name))],
        typed: { text: name, label: phrase("admin.type", { name: element("b", {}, foreign(name)) }) },
        go: word("admin.delete.go"), method: "delete", cancel: word("admin.cancel"),
    });
    if (!isMeant) return;
    page.line.say("busy", word("admin.running"));
    if (!await page.line.run(() => admin.deleteBoard({ kind, subject }))) return;
    page.leave(hashOf("kinds", kind), "good", ...phrase("admin.delete.done", { name: foreign(name) }));
}
