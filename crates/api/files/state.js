/** The state of the page, which is kept in the URL: `#/gifts/room-1?window=day&n=10&member=ada`. */

/** The choices for the number of rows; the last is the maximum. */
export const DEPTHS = [10, 50, 100];

function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return "";
    }
}

/** Parses a hash; missing and invalid parts are empty. */
export function parse(hash) {
    const [, path = "", query = ""] = /^#\/([^?]*)\??(.*)$/s.exec(hash) ?? [];
    const [kind = "", subject = ""] = path.split("/").map(decoded);
    const asked = new URLSearchParams(query);
    const n = Number(asked.get("n"));
    return {
        kind,
        subject,
        window: asked.get("window") ?? "",
        n: Number.isInteger(n) && n >= 1 && n <= DEPTHS.at(-1) ? n : DEPTHS[0],
        member: asked.get("member") ?? "",
    };
}

/** Formats a state as a hash. */
export function format({ kind, subject, window, n, member }) {
    const asked = new URLSearchParams();
    if (window) asked.set("window", window);
    if (n !== DEPTHS[0]) asked.set("n", n);
    if (member) asked.set("member", member);
    const query = asked.toString();
    const path = subject ? `${encodeURIComponent(kind)}/${encodeURIComponent(subject)}` : encodeURIComponent(kind);
    return `#/${path}${query ? `?${query}` : ""}`;
}

/** Returns the state of the current URL. */
export function current() {
    return parse(location.hash);
}

/** Changes the state, with an entry in the browser's history. */
export function go(change) {
    location.hash = format({ ...current(), ...change });
}

/** Changes the state without an entry in the browser's history. */
export function settle(change) {
    history.replaceState(null, "", format({ ...current(), ...change }));
}
