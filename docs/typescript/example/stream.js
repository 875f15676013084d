// @ts-check
/**
 * The stream of a board: its top at once and after each change, until the page is closed.
 *
 * @import { Problem, StreamEvents, StreamToken, Top } from "../megaboard.js"
 */

const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 10_000;

/**
 * The board to watch. `tokens` is for servers with keys: a path of your own server, which has the key, sends
 * `POST /v1/stream-tokens {"board": …}` and returns the response. Never put a key into a page.
 * @typedef {{ server: string, board: string, window?: string | null, n?: number, tokens?: string | null }} Watched
 *
 * The callbacks. `ended` is the last call.
 * @typedef {{ board(top: Top): void, lost(): void, ended(problem: Problem): void }} Heard
 */

/**
 * Returns the URL of the stream. Each connection gets a new token, since the last one may have expired.
 * @param {Watched} watched
 */
async function streamUrl({ server, board, window, n = 10, tokens }) {
    const [kind = "", ...subject] = board.split("/");
    const path = `v1/boards/${encodeURIComponent(kind)}/${encodeURIComponent(subject.join("/"))}/stream`;
    const url = new URL(path, server.endsWith("/") ? server : `${server}/`);
    url.searchParams.set("n", String(n));
    if (window) url.searchParams.set("window", window);
    if (tokens) {
        const answer = await fetch(`${tokens}?board=${encodeURIComponent(board)}`);
        if (!answer.ok) throw new Error(`${tokens}: ${answer.status}`);
        const { token } = /** @type {StreamToken} */ (await answer.json());
        url.searchParams.set("token", token);
    }
    return url;
}

/**
 * Listens for one type of the stream's events.
 * @template {keyof StreamEvents} Name
 * @param {EventSource} source
 * @param {Name} name
 * @param {(told: StreamEvents[Name]) => void} hear
 */
function on(source, name, hear) {
    source.addEventListener(name, (event) => hear(JSON.parse(event.data)));
}

/**
 * Returns why a stream was refused if a retry would not help: an EventSource does not report it.
 * @param {URL} url
 * @returns {Promise<Problem | null>}
 */
async function refusal(url) {
    const answer = await fetch(url);
    if (answer.ok) await answer.body?.cancel();
    // A token may have expired.
    const passes = answer.status === 429 || answer.status >= 500 || (answer.status === 401 && url.searchParams.has("token"));
    return answer.ok || passes ? null : answer.json();
}

/**
 * Passes a board's changes to `heard`. Reconnects lost connections after an increasing, random pause.
 * @param {Watched} watched
 * @param {Heard} heard
 */
export async function watch(watched, heard, failures = 0) {
    const lost = () => {
        heard.lost();
        const pause = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** failures);
        setTimeout(() => watch(watched, heard, failures + 1), pause * (0.5 + Math.random() / 2));
    };
    try {
        const url = await streamUrl(watched);
        const source = new EventSource(url);
        let begun = false;
        on(source, "board", (top) => {
            [begun, failures] = [true, 0];
            heard.board(top);
        });
        on(source, "problem", (problem) => {
            source.close();
            if (problem.status >= 500) lost();
            else heard.ended(problem);
        });
        source.addEventListener("error", async () => {
            // By itself it would give up on any response but 200, and reconnect with the old token.
            source.close();
            const problem = begun ? null : await refusal(url).catch(() => null);
            if (problem) heard.ended(problem);
            else lost();
        });
    } catch {
        lost();
    }
}
