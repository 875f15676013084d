/** The audit log, the newest operation first: the two lines of an operation are one row. */

import * as admin from "./admin-api.js";
import { badge, button, row, table } from "./admin-parts.js";
import { Problem } from "./api.js";
import { element, foreign } from "./dom.js";
import { moment } from "./format.js";
import { number } from "./numbers.js";
import { word } from "./words.js";

/** Lines of a page. */
const LINES = 100;

/** Returns a path as a person reads it. */
function readable(path) {
    try {
        return decodeURI(path);
    } catch {
        return path;
    }
}

/** Joins the lines of operations. The end of an operation comes first, since the newest lines do. */
class Operations {
    #ends = new Map();

    /** Returns the operations that these lines complete. */
    take(lines) {
        const found = [];
        for (const line of lines) {
            if (line.event === "ended") this.#ends.set(line.act, line);
            else if (line.event === "begun") {
                found.push({ ...line, end: this.#ends.get(line.act) ?? null });
                this.#ends.delete(line.act);
            } else found.push(line);
        }
        return found;
    }
}

function outcome({ event, end, status, unlisted }) {
    if (event === "refused") {
        const others = unlisted ? element("small", {}, word("admin.audit.unlisted", { count: unlisted })) : null;
        return [badge(word("admin.audit.refused", { status }), "bad"), ...(others ? [" ", others] : [])];
    }
    if (end === null) return badge(word("admin.audit.open"), "warn");
    const result = badge(String(end.status), end.status < 400 ? "good" : "bad");
    if (!end.told) return result;
    const told = Object.entries(end.told).filter(([, value]) => value !== null)
        .map(([name, value]) => `${name}: ${typeof value === "number" ? number(value) : value}`);
    return [result, " ", element("small", {}, foreign(told.join(", ")))];
}

function cells(line) {
    return [
        element("time", { datetime: line.at }, moment(Date.parse(line.at))),
        line.key === null || line.key === undefined ? "–" : foreign(line.key),
        line.address ?? "–",
        element("code", { class: "request" }, element("b", {}, line.method ?? ""), " ", foreign(readable(line.path ?? ""))),
        outcome(line),
    ];
}

/** Shows the log: of the keys with scope `write` if the address says so, or of all others. */
export async function audit(page) {
    const ofWriters = page.query.get("of") === "writers";
    const tab = (of, isCurrent, text) => element("a", { href: `#/audit${of}`, "aria-current": isCurrent ? "true" : null }, text);
    page.begin(word("admin.audit"), { about: word("admin.audit.about") });
    const keys = ["admin.time", "admin.key", "admin.address", "admin.request", "admin.outcome"];
    const heads = keys.map((key) => word(key));
    const list = table(word("admin.audit"), heads, []);
    list.classList.add("audit");
    const operations = new Operations();
    const body = element("div", {}, element("p", { class: "none" }, word("admin.looking")));
    page.add(element("section", { class: "panel" },
        element("nav", { class: "tabs", "aria-label": word("admin.audit.files") },
            tab("", !ofWriters, word("admin.audit.admins")),
            tab("?of=writers", ofWriters, word("admin.audit.writers"))),
        body));
    let before = "";
    const more = button(word("admin.audit.older"), () => page.line.run(next));
    const next = async () => {
        const read = await admin.audit(ofWriters, before, LINES);
        before = read.next;
        list.tBodies[0].append(...operations.take(read.entries).map((line) => row(heads, cells(line))));
        more.hidden = before === null;
        const isEmpty = list.tBodies[0].rows.length === 0;
        if (body.contains(list)) return;
        body.replaceChildren(isEmpty ? element("p", { class: "none" }, word("admin.audit.none")) : list, more);
    };
    try {
        await next();
    } catch (error) {
        const isAbsent = error instanceof Problem && error.type === "no-audit-log";
        const absent = element("p", { class: "none" }, word("admin.audit.absent"));
        body.replaceChildren(isAbsent ? absent : page.trouble(error));
    }
}
