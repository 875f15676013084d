/** What is shown, as it stands in the address: `#/gifts/room-1?window=day&n=10&member=ada`. A link shows the same. */

/** How many rows are offered; the last is the most that are shown. */
export const DEPTHS = [10, 50, 100];

function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return "";
    }
}

/** The state that a hash tells; what it leaves out, or tells wrong, is empty. */
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

/** The hash of a state. */
export function format({ kind, subject, window, n, member }) {
    const asked = new URLSearchParams();
    if (window) asked.set("window", window);
    if (n !== DEPTHS[0]) asked.set("n", n);
    if (member) asked.set("member", member);
    const query = asked.toString();
    const path = subject ? `${encodeURIComponent(kind)}/${encodeURIComponent(subject)}` : encodeURIComponent(kind);
    return `#/${path}${query ? `?${query}` : ""}`;
}

/** The state of the address now. */
export function current() {
    return parse(location.hash);
}

/** Goes to another state, with an entry in the history of what was looked at. */
export function go(change) {
    location.hash = format({ ...current(), ...change });
}

/** Writes down what was chosen for the reader, without an entry in the history. */
export function settle(change) {
    history.replaceState(null, "", format({ ...current(), ...change }));
}
