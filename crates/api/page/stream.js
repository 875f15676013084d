/**
 * The connection to a board: its top at once, then each change, for as long as it is wanted.
 *
 * An EventSource connects again by itself only where it was connected, gives up on any answer but 200 and
 * tells no status. So each connection begins with a request for the top, which tells what is wrong, and
 * what is lost is connected again from here, with pauses that grow.
 */

import * as api from "./api.js";

const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 10_000;

/**
 * After so long without a frame the top is asked for, which has so long to answer: a connection may be dead without
 * anybody having said so, and the server's heartbeat is a comment, of which no script is told.
 */
const SILENCE_MS_MAX = 20_000;
const CHECK_MS_MAX = 5_000;

/** A tab that nobody has looked at for so long gives its connection up: over HTTP/1.1 a browser has six of them for a host, for all its tabs. */
const HIDDEN_MS_MAX = 30_000;

/**
 * One connection at a time. `heard` is told:
 *   board(text)       the answer of `top`, as JSON that nobody has read yet
 *   state(word)       `connecting`, `live`, `lost`
 *   refused(problem)  the service will not show this board; nothing more comes
 */
export class Stream {
    #heard;
    #board = null;
    #source = null;
    #timer = 0;
    #hiddenTimer = 0;
    #isResting = false;
    #failures = 0;
    /** The version that the stream told last. */
    #version = "";
    /** Counts what was opened, so that answers to what was left are dropped. */
    #turn = 0;

    constructor(heard) {
        this.#heard = heard;
        addEventListener("online", () => this.now());
        addEventListener("offline", () => this.#check());
        document.addEventListener("visibilitychange", () => this.#seen());
        this.#seen();
    }

    /** Shows another board, `{kind, subject, window, n}`; what was open ends. */
    open(board) {
        this.close();
        this.#board = board;
        this.#failures = 0;
        this.#heard.state("connecting");
        if (!this.#isResting) this.#connect();
    }

    /** Ends it. */
    close() {
        this.#drop();
        this.#board = null;
    }

    /** Does not wait any longer before it connects again. */
    now() {
        if (this.#board === null || this.#source !== null || this.#isResting) return;
        clearTimeout(this.#timer);
        this.#connect();
    }

    /** Rests while nobody looks; whoever looks again is shown the top first, as at any connection. */
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
            const top = await api.top(board);
            if (turn !== this.#turn) return;
            this.#heard.board(top);
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
            this.#heard.state("live");
            this.#heard.board(event.data);
            this.#watch();
        });
        source.addEventListener("problem", (event) => {
            const body = JSON.parse(event.data);
            this.#failed(new api.Problem(body.status ?? 500, body));
        });
        source.addEventListener("error", () => this.#failed(null));
        this.#watch();
    }

    /** Once nothing has come for long, asks whether there was nothing to come. */
    #watch() {
        this.#after(SILENCE_MS_MAX, () => this.#check());
    }

    /** In place of what was to be done before. */
    #after(pauseMs, act) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(act, pauseMs);
    }

    async #check() {
        if (this.#source === null) return;
        const [turn, version] = [this.#turn, this.#version];
        try {
            const top = JSON.parse(await api.top({ ...this.#board, n: 1 }, CHECK_MS_MAX));
            // What came meanwhile has set the timer anew.
            if (turn !== this.#turn || version !== this.#version) return;
            if (top.version === version) this.#watch();
            // A change of just now may still be on its way.
            else this.#after(CHECK_MS_MAX, () => this.#failed(null));
        } catch (error) {
            if (turn === this.#turn) this.#failed(error);
        }
    }

    #failed(error) {
        this.#drop();
        if (error instanceof api.Problem && !error.mayPass) {
            this.#board = null;
            this.#heard.refused(error);
            return;
        }
        this.#heard.state("lost");
        const pause = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** this.#failures);
        this.#failures = Math.min(this.#failures + 1, 10);
        // Not all readers of a server that was away at one moment.
        this.#after(pause * (0.5 + Math.random() / 2), () => this.#connect());
    }
}
