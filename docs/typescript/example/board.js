// @ts-check
/**
 * Shows the live top of a board, from a Megaboard server on another origin. No build step: the types are in comments.
 *
 * The URL's parameters select what is shown; in your own page you would write the values here:
 *
 *     ?server=http://127.0.0.1:8080   a Megaboard server with this page's origin in [server.cors]
 *     &board=gifts/room-8842          kind and subject
 *     &window=day                     defaults to the kind's first window
 *     &tokens=/board-token            source of tokens, if the server has keys: see stream.js
 *
 * @import { Entry, Top } from "../megaboard.js"
 */

import { watch } from "./stream.js";

const WORDS = {
    connecting: "Connecting…",
    live: "Live",
    lost: "Connection lost. Reconnecting…",
    stale: "The store is unavailable. This is the last known state.",
    final: "Final",
    ended: "",
};

const integer = new Intl.NumberFormat();
/** One row for each shown member. @type {Map<string, HTMLTableRowElement>} */
const rows = new Map();

/** @param {string} id */
function element(id) {
    const found = document.getElementById(id);
    if (!found) throw new Error(`the page has no #${id}`);
    return found;
}

/** Creates an element. Foreign text is inserted as text, never as markup. @param {string} name @param {string | Node} content @param {string} [scope] */
function made(name, content, scope) {
    const node = document.createElement(name);
    node.append(content);
    if (scope) node.setAttribute("scope", scope);
    return node;
}

/** @param {keyof typeof WORDS} state */
function say(state, words = WORDS[state]) {
    element("board").dataset.state = state;
    // An unchanged text is not announced again.
    if (element("state").textContent !== words) element("state").textContent = words;
}

/** @param {Top} top */
function show({ entries, members, window, stale, final }) {
    say(stale ? "stale" : final ? "final" : "live");
    const before = new Map([...rows].map(([member, row]) => [member, row.offsetTop]));
    const fields = Object.keys(values(entries[0]));
    element("head").replaceChildren(...["Rank", "Member", ...fields].map((field) => made("th", field, "col")));
    element("rows").replaceChildren(...entries.map((entry) => drawn(entry, entries[0])));
    for (const [member, row] of rows) if (!row.isConnected) rows.delete(member);
    glide(before);
    element("about").textContent = entries.length ? `${integer.format(members)} ranked · ${window.split(":")[0]}` : "No members yet.";
}

/** Returns a standing's fields by name; most kinds have only `points`. @param {Entry} [entry] @returns {Record<string, number | null>} */
function values(entry) {
    return entry?.values ?? { points: entry?.points ?? null };
}

/** Creates or updates a member's row. @param {Entry} entry @param {Entry} [first] */
function drawn(entry, first) {
    const row = rows.get(entry.member) ?? document.createElement("tr");
    rows.set(entry.member, row);
    const numbers = Object.values(values(entry)).map((value) => made("td", value === null ? "–" : integer.format(value)));
    row.replaceChildren(made("td", `${entry.rank}`), made("th", made("bdi", entry.member), "row"), ...numbers);
    row.style.setProperty("--share", `${Math.max(0, entry.points ?? 0) / Math.max(1, first?.points ?? 0)}`);
    return row;
}

/** Animates rows from their previous offsets. @param {Map<string, number>} before */
function glide(before) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const [member, row] of rows) {
        const moved = (before.get(member) ?? row.offsetTop) - row.offsetTop;
        if (!before.has(member)) row.animate({ opacity: [0, 1] }, 400);
        else if (moved) row.animate({ transform: [`translateY(${moved}px)`, "none"] }, { duration: 400, easing: "ease-out" });
    }
}

const asked = new URLSearchParams(location.search);
const board = asked.get("board") ?? "gifts/room-1";
const server = asked.get("server") ?? "http://127.0.0.1:8080";
element("name").textContent = board;
say("connecting");
watch({ server, board, window: asked.get("window"), tokens: asked.get("tokens") }, {
    board: show,
    lost: () => say("lost"),
    ended: ({ title, detail }) => say("ended", `${title}: ${detail}`),
});
