/** The keys of the server's configuration, without their secrets. */

import * as admin from "./admin-api.js";
import { badge, table } from "./admin-parts.js";
import { element, foreign } from "./dom.js";
import { moment } from "./format.js";
import { word } from "./words.js";

function rateOf({ requests_per_second: rate, burst }) {
    if (rate === undefined) return word("admin.unlimited");
    return word("admin.rate", { count: rate, burst });
}

function kindsOf({ kinds }) {
    if (kinds === undefined) return word("admin.kinds.all");
    return element("div", { class: "items" }, ...kinds.map((kind) => element("span", { class: "item" }, foreign(kind))));
}

/** Shows the keys. */
export async function keys(page) {
    page.begin(word("admin.keys"), { about: word("admin.keys.about") });
    let found;
    try {
        found = await admin.keys();
    } catch (error) {
        page.add(page.trouble(error));
        return;
    }
    if (found.length === 0) {
        page.add(element("p", { class: "none" }, word("admin.keys.none")));
        return;
    }
    const heads = ["admin.name", "admin.scope", "admin.kinds", "admin.rate.head", "admin.ends"].map((key) => word(key));
    page.add(element("section", { class: "panel" }, table(word("admin.keys"), heads, found.map((key) => [
        element("strong", {}, foreign(key.name)),
        badge(key.scope, key.scope === "admin" ? "warn" : ""),
        kindsOf(key), rateOf(key),
        [key.expires_at === undefined ? word("admin.never") : moment(Date.parse(key.expires_at)),
            ...(key.expired ? [" ", badge(word("admin.expired"), "bad")] : [])],
    ]))));
}
