// @ts-check
/**
 * A board's stream: the top at once and whenever it has changed, for as long as the page is there.
 *
 * @import { Problem, StreamEvents, StreamToken, Top } from "../megaboard.js"
 */

const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 10_000;

/**
 * What is watched. `tokens` is for servers that ask for keys, which never belong into a page: a path of your own
 * server, which has a key, asks `POST /v1/stream-tokens {"board": …}` and hands on the answer.
 * @typedef {{ server: string, board: string, window?: string | null, n?: number, tokens?: string | null }} Watched
 *
 * Who is told of it. After `ended` nothing more comes.
 * @typedef {{ board(top: Top): void, lost(): void, ended(problem: Problem): void }} Heard
 */

/**
 * Where the stream is. Each connection has a token of its own: that of the last one may have run out.
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
 * Listens for one of the stream's events.
 * @template {keyof StreamEvents} Name
 * @param {EventSource} source
 * @param {Name} name
 * @param {(told: StreamEvents[Name]) => void} hear
 */
function on(source, name, hear) {
    source.addEventListener(name, (event) => hear(JSON.parse(event.data)));
}

/**
 * Why a stream was refused, where asking again would not help: an EventSource does not tell.
 * @param {URL} url
 * @returns {Promise<Problem | null>}
 */
async function refusal(url) {
    const answer = await fetch(url);
    if (answer.ok) await answer.body?.cancel();
    // A token may have run out.
    const passes = answer.status === 429 || answer.status >= 500 || (answer.status === 401 && url.searchParams.has("token"));
    return answer.ok || passes ? null : answer.json();
}

/**
 * Shows a board to `heard` from now on. What is lost is connected again after a pause, which grows, and is not the
 * same for all who lost it.
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
            // By itself it would give up on any answer but 200, and come back with the old token.
            source.close();
            const problem = begun ? null : await refusal(url).catch(() => null);
            if (problem) heard.ended(problem);
            else lost();
        });
    } catch {
        lost();
    }
}
