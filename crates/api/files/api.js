/** The requests that the page sends to the HTTP API, and the API key. */

/** The base URL of the service: the parent of the page's folder. */
const BASE = new URL("..", import.meta.url);

/** Timeout of a request. */
const REQUEST_MS_MAX = 15_000;

const KEY_NAME = "megaboard-key";

/** An error response: the problem that the service returned. */
export class Problem extends Error {
    constructor(status, body) {
        super(body.detail ?? body.title ?? `HTTP ${status}`);
        this.status = status;
        this.type = body.type ?? "";
    }

    /** Whether a later retry may succeed. */
    get mayPass() {
        return this.status >= 500 || this.status === 408 || this.status === 429;
    }

    /** Whether the request needs a key, or another key. */
    get wantsKey() {
        return this.status === 401 || this.status === 403;
    }
}

/** The key, if the browser's storage is not available. */
let keptHere = null;

/** Returns the API key of this tab, or null. It is removed with the tab. */
export function key() {
    try {
        return sessionStorage.getItem(KEY_NAME) ?? keptHere;
    } catch {
        return keptHere;
    }
}

/** Stores a key for this tab; null removes it. */
export function setKey(value) {
    keptHere = value;
    try {
        if (value === null) sessionStorage.removeItem(KEY_NAME);
        else sessionStorage.setItem(KEY_NAME, value);
    } catch {
        // Storage may be forbidden: then the key is kept until the page is closed.
    }
}

function address(path, params) {
    const url = new URL(path, BASE);
    for (const [name, value] of Object.entries(params)) {
        if (value !== null && value !== undefined && value !== "") url.searchParams.set(name, value);
    }
    return url;
}

/** Sends a request, and returns its response, or throws its problem. Empty parameters are not sent. */
export async function ask(path, params = {}, { withinMs = REQUEST_MS_MAX, ...options } = {}) {
    const headers = new Headers(options.headers);
    if (key() !== null) headers.set("authorization", `Bearer ${key()}`);
    const signal = AbortSignal.timeout(withinMs);
    const response = await fetch(address(path, params), { ...options, headers, signal });
    if (response.ok) return response;
    throw new Problem(response.status, await response.json().catch(() => ({})));
}

/**
 * Returns names as parts of a path. `.` and `..` are not names: a URL drops them, however they are encoded, and would be
 * that of another route.
 */
export function pathOf(...names) {
    const wrong = names.find((name) => ["", ".", ".."].includes(name));
    if (wrong !== undefined) throw new Problem(400, { type: "invalid", detail: `"${wrong}" is not a name` });
    return names.map(encodeURIComponent).join("/");
}

/** Returns the path of a board. */
export function boardPath({ kind, subject }) {
    return `v1/boards/${pathOf(kind, subject)}`;
}

/** Returns the path of a member of a board. */
export function placePath(board, member) {
    return `${boardPath(board)}/members/${pathOf(member)}`;
}

/** Returns all kinds, and by how much the server's clock is ahead of the local one (from the header `Date`, in whole seconds). */
export async function kinds() {
    const response = await ask("v1/kinds");
    const { kinds: known } = await response.json();
    const serverTime = Date.parse(response.headers.get("date") ?? "");
    return { kinds: known, aheadMs: Number.isNaN(serverTime) ? 0 : serverTime - Date.now() };
}

/** Returns the problem of reading a kind, or null. */
export async function troubleOf(kind) {
    try {
        await ask(`v1/kinds/${pathOf(kind)}`);
        return null;
    } catch (error) {
        return error;
    }
}

/**
 * Whether this visitor may be an admin: there is a key, or there are kinds that only keys may read where keys are
 * configured, so that there are none.
 */
export function mayAdminister(kinds) {
    return key() !== null || !kinds.every((kind) => kind.public_read === true);
}

/** Returns the boards of a kind after a subject. */
export async function boards(kind, after, limit) {
    return (await ask("v1/boards", { kind, after, limit })).json();
}

/** Returns the windows of a board that have members, by period and start, and the full name of the selected one. */
export async function windows(board, window) {
    const { window: selected, windows: held } = await (await ask(boardPath(board), { window })).json();
    return { selected, names: held.map((it) => it.window) };
}

/** Returns how many members a window of a board has. */
export async function members(board, window) {
    return (await (await ask(`${boardPath(board)}/top`, { window, n: 1 })).json()).members;
}

/** Returns the top of a board as text. */
export async function top(board, withinMs) {
    return (await ask(`${boardPath(board)}/top`, { window: board.window, n: board.n, profiles: true }, { withinMs })).text();
}

/** Whether a member has a standing on a board, ranked or not. */
export async function isKnown(board, member) {
    const response = await ask(`${boardPath(board)}/lookup`, { window: board.window }, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ members: [member] }),
    });
    const [entry] = (await response.json()).entries;
    return entry.rank !== null || "reached_at" in entry;
}

/** Returns a member's entry, position and neighbours. */
export async function place(board, member) {
    return (await ask(placePath(board, member), { window: board.window, profiles: true })).json();
}

/** Returns a member and its neighbours. */
export async function around(board, member, each) {
    return (await ask(`${placePath(board, member)}/around`, { window: board.window, above: each, below: each, profiles: true })).json();
}

/** A token that the page was opened with. It opens the stream, and no other route. */
let givenToken = null;

/** Uses this token for streams. */
export function useToken(token) {
    givenToken = token;
}

/** Whether streams are all that the page may read. */
export function isForStreams() {
    return givenToken !== null;
}

/** Returns the URL of a board's stream, with a token if there is a key: an EventSource cannot send headers. */
export async function streamUrl(board) {
    const token = givenToken ?? (key() === null ? null : await streamToken(board));
    return address(`${boardPath(board)}/stream`, { window: board.window, n: board.n, profiles: true, token });
}

async function streamToken(board) {
    const response = await ask("v1/stream-tokens", {}, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ board: `${board.kind}/${board.subject}` }),
    });
    return (await response.json()).token;
}

/** Returns a command that sends a body as JSON. */
function command(method, path, body) {
    const quoted = `'${JSON.stringify(body).replaceAll("'", "'\\''")}'`;
    const login = key() === null ? "" : " \\\n  -H \"authorization: Bearer $KEY\"";
    const way = method === "POST" ? "" : `-X ${method} `;
    return `curl ${way}${address(path, {})}${login} \\\n  -H 'content-type: application/json' \\\n  -d ${quoted}`;
}

/** Returns the command that creates a first kind. */
export function firstKind() {
    return command("PUT", "v1/kinds/gifts", {});
}

/** Returns the command for a board's first contribution. */
export function firstContribution(kind, subject) {
    const [only] = kind.fields;
    const amounts = kind.fields.length === 1 && only.name === "points"
        ? { points: 30 }
        : { values: Object.fromEntries(kind.fields.map((field) => [field.name, 30])) };
    return command("POST", "v1/contributions", { board: `${kind.kind}/${subject}`, member: "ada", ...amounts });
}
