/** The audit log, the newest operation first: the two lines of an operation are one row. */

import * as admin from "./admin-api.js";
import { badge, button, markCurrent, row, table } from "./admin-parts.js";
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
            if (line.event === "ended") this.#ends.set(line.operation, line);
            else if (line.event === "begun") {
                found.push({ ...line, end: this.#ends.get(line.operation) ?? null });
                this.#ends.delete(line.operation);
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
    if (!end.details) return result;
    const details = Object.entries(end.details).filter(([, value]) => value !== null)
        .map(([name, value]) => `${name}: ${typeof value === "number" ? number(value) : value}`);
    return [result, " ", element("small", {}, foreign(details.join(", ")))];
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
    page.begin(word("admin.audit"), { about: word("admin.audit.about") });
    const tabs = {
        admins: element("a", { href: page.addressWith({ of: null }) }, word("admin.audit.admins")),
        writers: element("a", { href: page.addressWith({ of: "writers" }) }, word("admin.audit.writers")),
    };
    const body = element("div");
    page.add(element("section", { class: "panel" },
        element("nav", { class: "tabs", "aria-label": word("admin.audit.files") }, ...Object.values(tabs)), body));
    await page.follow((query) => {
        const of = query.get("of") === "writers" ? "writers" : "admins";
        markCurrent(tabs, of);
        return new Log(page, of === "writers").show(body);
    });
}

/** The operations of one file of the log. */
class Log {
    #heads = ["admin.time", "admin.key", "admin.address", "admin.request", "admin.outcome"].map((key) => word(key));
    #list = table(word("admin.audit"), this.#heads, []);
    #operations = new Operations();
    #before = "";
    #more = button(word("admin.audit.older"), () => this.#page.line.run(() => this.#next()));
    #page;
    #ofWriters;

    constructor(page, ofWriters) {
        this.#page = page;
        this.#ofWriters = ofWriters;
        this.#list.classList.add("audit");
    }

    /** Shows the newest operations in an element. */
    async show(body) {
        const looking = element("p", { class: "none" }, word("admin.looking"));
        body.replaceChildren(looking);
        let shown;
        try {
            await this.#next();
            const isEmpty = this.#list.tBodies[0].rows.length === 0;
            shown = [isEmpty ? element("p", { class: "none" }, word("admin.audit.none")) : this.#list, this.#more];
        } catch (error) {
            const isAbsent = error instanceof Problem && error.type === "no-audit-log";
            const absent = () => element("p", { class: "none" }, word("admin.audit.absent"));
            shown = [isAbsent ? absent() : this.#page.trouble(error)];
        }
        // Meanwhile the other file may have been chosen.
        if (looking.parentNode === body) body.replaceChildren(...shown);
    }

    async #next() {
        const read = await admin.audit(this.#ofWriters, this.#before, LINES);
        this.#before = read.next;
        const rows = this.#operations.take(read.entries).map((line) => row(this.#heads, cells(line)));
        this.#list.tBodies[0].append(...rows);
        this.#more.hidden = this.#before === null;
    }
}
