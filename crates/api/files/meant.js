/** Which member a text of the search means. */

import * as api from "./api.js";

/** The number of best members that are searched by name and by beginning: the server finds members by their exact id alone. */
export const SEARCHED_MAX = 100;

function folded(text) {
    return text.normalize("NFKC").toLowerCase();
}

/** Returns the best entry with this id or name, or else with one that begins so, without regard to case; or undefined. */
function matching(text, entries) {
    const wanted = folded(text);
    const named = (isMeant) => entries.find(({ member, profile }) =>
        [member, profile?.name ?? member].some((name) => isMeant(folded(name))));
    return named((name) => name === wanted) ?? named((name) => name.startsWith(wanted));
}

/** Returns the best entries of a board: those that are shown, if these are enough. */
async function best(board, kind, { entries, members }) {
    const n = Math.min(SEARCHED_MAX, kind.top);
    if (entries.length >= Math.min(n, members)) return entries;
    return JSON.parse(await api.top({ ...board, n })).entries;
}

/** Returns the id that a text means on a board, of which `frame` is shown; the text itself if there is no member like it. */
export async function meant(text, board, kind, frame) {
    const shown = frame.entries.find(({ member }) => member === text) ?? frame.entries.find(({ profile }) => profile?.name === text);
    if (shown !== undefined) return shown.member;
    try {
        if (await api.isKnown(board, text)) return text;
        return matching(text, await best(board, kind, frame))?.member ?? text;
    } catch {
        // The request for the member says why.
        return text;
    }
}
