/** The service's HTTP API: the few requests that the page makes, and the key that they carry. */

/** Where the service is: the page lies in one folder of it, whatever stands before that in the path. */
const BASE = new URL("..", import.meta.url);

/** A request that has not ended by then has failed. */
const REQUEST_MS_MAX = 15_000;

const KEY_NAME = "megaboard-key";

/** An answer that is none: the service's problem, as it told it. */
export class Problem extends Error {
    constructor(status, body) {
        super(body.detail ?? body.title ?? `the server answered ${status}`);
        this.status = status;
        this.type = body.type ?? "";
    }

    /** Whether asking again later may help. */
    get mayPass() {
        return this.status >= 500 || this.status === 408 || this.status === 429;
    }

    /** Whether a key is asked for, or another one. */
    get wantsKey() {
        return this.status === 401 || this.status === 403;
    }
}

/** The key where the browser keeps none for us. */
let keptHere = null;

/** The API key of this tab, or null. It goes with the tab. */
export function key() {
    try {
        return sessionStorage.getItem(KEY_NAME) ?? keptHere;
    } catch {
        return keptHere;
    }
}

/** Keeps a key for this tab; null forgets it. */
export function setKey(value) {
    keptHere = value;
    try {
        if (value === null) sessionStorage.removeItem(KEY_NAME);
        else sessionStorage.setItem(KEY_NAME, value);
    } catch {
        // Storage may be forbidden: then the key goes with the page.
    }
}

function address(path, params) {
    const url = new URL(path, BASE);
    for (const [name, value] of Object.entries(params)) {
        if (value !== null && value !== undefined && value !== "") url.searchParams.set(name, value);
    }
    return url;
}

async function ask(path, params = {}, { withinMs = REQUEST_MS_MAX, ...options } = {}) {
    const headers = new Headers(options.headers);
    if (key() !== null) headers.set("authorization", `Bearer ${key()}`);
    const signal = AbortSignal.timeout(withinMs);
    const response = await fetch(address(path, params), { ...options, headers, signal });
    if (response.ok) return response;
    throw new Problem(response.status, await response.json().catch(() => ({})));
}

function boardPath(board) {
    return `v1/boards/${encodeURIComponent(board.kind)}/${encodeURIComponent(board.subject)}`;
}

/** All kinds, and by how much the server's clock is ahead of this one (whole seconds, told by `Date`). */
export async function kinds() {
    const response = await ask("v1/kinds");
    const { kinds: known } = await response.json();
    const told = Date.parse(response.headers.get("date") ?? "");
    return { kinds: known, aheadMs: Number.isNaN(told) ? 0 : told - Date.now() };
}

/** Boards of a kind behind a subject. */
export async function boards(kind, after, limit) {
    return (await ask("v1/boards", { kind, after, limit })).json();
}

/** The top of a board, as the text that it is. */
export async function top(board, withinMs) {
    return (await ask(`${boardPath(board)}/top`, { window: board.window, n: board.n }, { withinMs })).text();
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

/** A member's place. */
export async function place(board, member) {
    const path = `${boardPath(board)}/members/${encodeURIComponent(member)}`;
    return (await ask(path, { window: board.window })).json();
}

/** A member among its neighbours. */
export async function around(board, member, each) {
    const path = `${boardPath(board)}/members/${encodeURIComponent(member)}/around`;
    return (await ask(path, { window: board.window, above: each, below: each })).json();
}

/** Where a board's stream is. With a key it takes a token, since an EventSource sends no headers. */
export async function streamUrl(board) {
    const token = key() === null ? null : await streamToken(board);
    return address(`${boardPath(board)}/stream`, { window: board.window, n: board.n, token });
}

async function streamToken(board) {
    const response = await ask("v1/stream-tokens", {}, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ board: `${board.kind}/${board.subject}` }),
    });
    return (await response.json()).token;
}

/** The command that makes a board's first contribution. */
export function firstContribution(kind, subject) {
    const [only] = kind.fields;
    const amounts = kind.fields.length === 1 && only.name === "points"
        ? { points: 30 }
        : { values: Object.fromEntries(kind.fields.map((field) => [field.name, 30])) };
    const body = JSON.stringify({ board: `${kind.kind}/${subject}`, member: "ada", ...amounts });
    const quoted = `'${body.replaceAll("'", "'\\''")}'`;
    const login = key() === null ? "" : " \\\n  -H \"authorization: Bearer $KEY\"";
    return `curl ${address("v1/contributions", {})}${login} \\\n  -H 'content-type: application/json' \\\n  -d ${quoted}`;
}
