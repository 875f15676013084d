/** The requests of the admin page. */

import { ask, boardPath, pathOf, placePath } from "./api.js";

async function read(path, params) {
    return (await ask(path, params)).json();
}

function memberPath(member) {
    return `v1/members/${pathOf(member)}`;
}

async function send(method, path, params = {}, body) {
    const options = body === undefined ? { method } : {
        method, headers: { "content-type": "application/json" }, body: JSON.stringify(body),
    };
    return ask(path, params, options);
}

/** Returns the store's name if it is ready; otherwise throws the problem. */
export async function ready() {
    return (await read("readyz")).store;
}

/** Returns the metrics as text. */
export async function metrics() {
    return (await ask("metrics")).text();
}

/** Returns the configured keys. */
export async function keys() {
    return (await read("v1/keys")).keys;
}

/** Returns a page of the audit log: of the keys with scope `write`, or of all others. */
export function audit(ofWriters, before, limit) {
    return read("v1/audit", { writers: ofWriters ? "true" : null, before, limit });
}

/** Returns the boards to which this server writes the most. */
export function busiest(kind, prefix, limit) {
    return read("v1/boards", { kind, prefix, order: "activity", limit });
}

/** Returns a page of the boards of a kind, by subject. */
export function bySubject(kind, prefix, after, limit) {
    return read("v1/boards", { kind, prefix, after, limit });
}

/** Returns a board with its settings and windows. */
export function board(board) {
    return read(boardPath(board));
}

/** Deletes a board. */
export async function deleteBoard(board) {
    await send("DELETE", boardPath(board));
}

/** Returns the kinds in which a member is hidden. Requires an admin key, whoever the member is. */
export async function hiddenIn(member) {
    return (await read(`${memberPath(member)}/hidden`)).hidden_in;
}

/** Hides a member in a kind, or shows it again. */
export async function setHidden(member, kind, isHidden) {
    await send(isHidden ? "PUT" : "DELETE", `${memberPath(member)}/hidden`, { kind });
}

/** Returns the hidden members of a kind. */
export async function hidden(kind) {
    return (await read("v1/hidden", { kind })).hidden;
}

/** Returns the kinds that the key may change, of those that it may read: everybody may read public ones. */
export async function changeable(kinds) {
    const isRefused = (error) => {
        if (error.status === 403) return false;
        throw error;
    };
    const may = await Promise.all(kinds.map((kind) => kind.public_read !== true || hidden(kind.kind).then(() => true, isRefused)));
    return kinds.filter((_, at) => may[at]);
}

/** Returns a page of the boards of a kind that rank a member. */
export function boardsOf(member, kind, after, limit) {
    return read(memberPath(member), { kind, after, limit });
}

/** Returns a member's entry in a window, or null. */
export async function entry(board, member, window) {
    const response = await send("POST", `${boardPath(board)}/lookup`, { window }, { members: [member] });
    const [entry] = (await response.json()).entries;
    return entry.rank !== null || "reached_at" in entry ? entry : null;
}

/** Sets a standing, in one window or in the current window of every period. */
export async function setStanding(board, member, window, score) {
    await send("PUT", placePath(board, member), { window }, score);
}

/** Removes a member from a board, and returns whether it was there. */
export async function remove(board, member) {
    return (await (await send("DELETE", placePath(board, member))).json()).removed > 0;
}

/** Erases a member from all boards of all kinds; yields the progress of each request. */
export async function* erasure(member) {
    let after = "";
    const total = { boards: 0, erased: 0 };
    do {
        const done = await (await send("DELETE", memberPath(member), { after })).json();
        total.boards += done.boards;
        total.erased += done.erased;
        after = done.next;
        yield total;
    } while (after !== null);
}
