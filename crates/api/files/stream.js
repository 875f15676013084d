/**
 * The connection to a board: its top at once, then each change, until it is closed.
 *
 * An EventSource reconnects by itself only after it was connected, gives up on any response but 200, and
 * does not report the status. So each connection begins with a request for the top, which reports errors,
 * and lost connections are made again here, with increasing pauses. A page that was opened with a token cannot request
 * the top: it does not learn why a connection fails, nor, without an error, that it is dead.
 */

import * as api from "./api.js";

const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 10_000;

/**
 * After this time without a frame the top is requested, with this timeout. A connection may be dead without an error,
 * and the server's keep-alive is a comment, which EventSource does not pass to scripts.
 */
const SILENCE_MS_MAX = 20_000;
const CHECK_MS_MAX = 5_000;

/** A tab that was hidden for this time closes its connection: over HTTP/1.1 a browser opens six to a host, for all tabs. */
const HIDDEN_MS_MAX = 30_000;

/**
 * One connection at a time. Calls these callbacks:
 *   board(text)       the response of `top`, as JSON text
 *   state(word, why)  `connecting`, `live`, or `lost`, with the problem if the service reported one
 *   refused(problem)  the service will not show this board; nothing more comes
 */
export class Stream {
    #callbacks;
    #board = null;
    #source = null;
    #timer = 0;
    #hiddenTimer = 0;
    #isResting = false;
    #failures = 0;
    /** The version of the last event. */
    #version = "";
    /** Counts connections, so that responses to earlier ones are ignored. */
    #turn = 0;

    constructor(callbacks) {
        this.#callbacks = callbacks;
        addEventListener("online", () => this.now());
        addEventListener("offline", () => this.#check());
        document.addEventListener("visibilitychange", () => this.#seen());
        this.#seen();
    }

    /** Connects to another board, `{kind, subject, window, n}`; closes the current connection. */
    open(board) {
        this.close();
        this.#board = board;
        this.#failures = 0;
        this.#callbacks.state("connecting");
        if (!this.#isResting) this.#connect();
    }

    /** Closes the connection. */
    close() {
        this.#drop();
        this.#board = null;
    }

    /** Reconnects at once. */
    now() {
        if (this.#board === null || this.#source !== null || this.#isResting) return;
        clearTimeout(this.#timer);
        this.#connect();
    }

    /** Closes the connection of a tab that stays hidden, and reconnects when it is visible again. */
    #seen() {
        clearTimeout(this.#hiddenTimer);
        if (document.visibilityState === "hidden") {
            this.#hiddenTimer = setTimeout(() => this.#rest(), HIDDEN_MS_MAX);
        } else if (this.#isResting) {
            this.#isResting = false;
            this.now();
        }
    }

    #rest() {
        this.#isResting = true;
        this.#drop();
    }

    #drop() {
        this.#turn += 1;
        clearTimeout(this.#timer);
        this.#source?.close();
        this.#source = null;
    }

    async #connect() {
        this.#turn += 1;
        const [turn, board] = [this.#turn, this.#board];
        try {
            const top = api.isForStreams() ? null : await api.top(board);
            if (turn !== this.#turn) return;
            if (top !== null) this.#callbacks.board(top);
            const url = await api.streamUrl(board);
            if (turn === this.#turn) this.#listen(url);
        } catch (error) {
            if (turn === this.#turn) this.#failed(error);
        }
    }

    #listen(url) {
        const source = new EventSource(url);
        this.#source = source;
        source.addEventListener("board", (event) => {
            this.#failures = 0;
            this.#version = event.lastEventId;
            this.#callbacks.state("live");
            this.#callbacks.board(event.data);
            this.#watch();
        });
        source.addEventListener("problem", (event) => {
            const body = JSON.parse(event.data);
            this.#failed(new api.Problem(body.status ?? 500, body));
        });
        source.addEventListener("error", () => this.#failed(null));
        this.#watch();
    }

    /** Checks the connection after a silence. */
    #watch() {
        if (api.isForStreams()) clearTimeout(this.#timer);
        else this.#after(SILENCE_MS_MAX, () => this.#check());
    }

    /** Replaces the pending timer. */
    #after(pauseMs, act) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(act, pauseMs);
    }

    async #check() {
        if (this.#source === null) return;
        const [turn, version] = [this.#turn, this.#version];
        try {
            const top = JSON.parse(await api.top({ ...this.#board, n: 1 }, CHECK_MS_MAX));
            // An event that arrived meanwhile has restarted the timer.
            if (turn !== this.#turn || version !== this.#version) return;
            if (top.version === version) this.#watch();
            // The event of a recent change may still be under way.
            else this.#after(CHECK_MS_MAX, () => this.#failed(null));
        } catch (error) {
            if (turn === this.#turn) this.#failed(error);
        }
    }

    #failed(error) {
        this.#drop();
        if (error instanceof api.Problem && !error.mayPass) {
            this.#board = null;
            this.#callbacks.refused(error);
            return;
        }
        this.#callbacks.state("lost", error instanceof api.Problem ? error : null);
        const pause = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** this.#failures);
        this.#failures = Math.min(this.#failures + 1, 10);
        // Random, so that the clients of a restarted server do not reconnect all at once.
        this.#after(pause * (0.5 + Math.random() / 2), () => this.#connect());
    }
}
