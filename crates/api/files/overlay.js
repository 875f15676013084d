/** A board over a video: `/overlay/KIND/SUBJECT`, for a browser source of streaming software. It has no controls. */

import { useToken } from "./api.js";
import { byId, foreign, setText } from "./dom.js";
import { Battle } from "./overlay-battle.js";
import { List } from "./overlay-list.js";
import { COLOURS, parse, Wrong } from "./overlay-params.js";
import { Stream } from "./stream.js";
import { label, word } from "./words.js";

/** The number of rows if the URL does not name it. */
const ROWS = 10;

const root = document.documentElement;

label();
try {
    open(parse(location));
} catch (error) {
    if (!(error instanceof Wrong)) throw error;
    const { param: name, value, accepted } = error;
    const text = value === null
        ? word("overlay.unknown", { name, accepted })
        : word("overlay.wrong", { name, value: JSON.stringify(value), accepted });
    note(text, "wrong");
}

function open(params) {
    root.dataset.theme = params.theme ?? "dark";
    if (params.scale !== null) root.style.fontSize = `${params.scale * 100}%`;
    for (const name of COLOURS) {
        if (params[name] !== null) root.style.setProperty(`--${name}`, params[name]);
    }
    byId("title").classList.toggle("unseen", params.title === null);
    byId("title").replaceChildren(foreign(params.title ?? params.subject));
    document.title = `${params.subject} · Megaboard`;
    if (params.token !== null) useToken(params.token);
    const isBattle = params.battle !== null;
    const into = byId(isBattle ? "battle" : "rows");
    const view = isBattle ? new Battle(into, params.sides) : new List(into);
    // The named members of a battle may be any of the first ones.
    const n = isBattle && params.sides === null ? 2 : params.n ?? ROWS;
    const stream = new Stream({
        board: (text) => show(JSON.parse(text), view, into),
        state: (state) => { byId("overlay").dataset.state = state; },
        refused: (problem) => note(refusal(problem, params), "wrong"),
    });
    stream.open({ kind: params.kind, subject: params.subject, window: params.window ?? "", n });
}

/** Returns why a board cannot be shown, and what to do if the service wants a key. */
function refusal({ message, wantsKey }, { kind, subject, token }) {
    const board = `${kind}/${subject}`;
    return wantsKey && token === null ? word("overlay.key", { board }) : word("overlay.refused", { board, why: message });
}

function show({ entries, stale }, view, into) {
    byId("overlay").classList.toggle("stale", stale === true);
    const isReady = view.isReady(entries);
    into.hidden = !isReady;
    byId("note").hidden = isReady;
    if (isReady) view.show(entries, firstField(entries));
    else note(word(view.waiting), "quiet");
}

/** Returns the first field of entries and its order, which the order of the entries shows: with a token there are no kinds to read. */
function firstField(entries) {
    const [first] = entries;
    if (first === undefined) return { name: "points", order: "desc" };
    const name = first.values ? Object.keys(first.values)[0] : "points";
    const value = (entry) => (entry.values ? entry.values[name] : entry.points);
    return { name, order: value(first) < value(entries.at(-1)) ? "asc" : "desc" };
}

function note(text, className) {
    byId("note").hidden = false;
    byId("note").className = className;
    setText(byId("note"), text);
}
