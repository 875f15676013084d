/** The page: shows the board that the URL selects. Every click changes the URL. */

import { Announcer } from "./announce.js";
import * as api from "./api.js";
import { Board } from "./board.js";
import { Boards } from "./boards.js";
import { Choose } from "./choose.js";
import { byId, element, mayMove, setText } from "./dom.js";
import { Find } from "./find.js";
import { keyForm } from "./keyform.js";
import { current, go, settle } from "./state.js";
import { Stream } from "./stream.js";

const WORDS = { connecting: "Connecting…", live: "Live", lost: "Reconnecting…", final: "Final", refused: "Not connected" };

/** The subject that is proposed when a kind has no boards. */
const FIRST_SUBJECT = "room-1";

const TICK_MS = 1000;

/** Delay of the banner: after a server has ended a stream, the reconnect usually succeeds earlier. */
const BANNER_AFTER_MS = 700;

const BEAT = [{ opacity: 0.7 }, { opacity: 0, transform: "scale(2.8)" }];
const BEAT_TIMING = { duration: 900, easing: "ease-out", pseudoElement: "::after" };

/** Mean pause between two attempts to reach a server that has not responded yet. */
const START_RETRY_MS = 2000;

const board = new Board();
const find = new Find(go);
const choose = new Choose(go);
const boards = new Boards(go);
const announcer = new Announcer(byId("said"));
const stream = new Stream({ board: arrived, state: connection, refused });

let kinds = [];
let aheadMs = 0;
let bannerTimer = 0;
let isFinal = false;
/** What is shown, and the text of the newest frame that is not shown yet. */
let shown = null;
let waiting = null;

/** The current time by the server's clock. */
function now() {
    return Date.now() + aheadMs;
}

/** Draws at most one frame per animation frame: of several frames, also in a hidden tab, only the last is shown. */
function arrived(text) {
    if (waiting === null) requestAnimationFrame(draw);
    waiting = text;
}

function draw() {
    const text = waiting;
    waiting = null;
    if (text === null || shown === null) return;
    const frame = JSON.parse(text);
    board.show(frame, now());
    beat();
    isFinal = frame.final === true;
    sayConnection();
    announcer.leads(frame.entries[0], shown.kind.fields[0]);
    find.changed(Date.now());
}

/** Animates the dot once for each frame that arrives. */
function beat() {
    const dot = byId("live").firstElementChild;
    if (mayMove() && dot.getAnimations({ subtree: true }).length === 0) dot.animate(BEAT, BEAT_TIMING);
}

function connection(state) {
    byId("live").dataset.state = state;
    sayConnection();
    board.away(state === "lost");
    if (state === "lost") {
        bannerTimer ||= setTimeout(() => { byId("banner").hidden = false; }, BANNER_AFTER_MS);
    } else {
        clearTimeout(bannerTimer);
        bannerTimer = 0;
        byId("banner").hidden = true;
    }
}

/** Shows the state of the connection; a final board shows `Final` instead of `Live`. */
function sayConnection() {
    const { state } = byId("live").dataset;
    const isOver = state === "live" && isFinal;
    byId("live").classList.toggle("final", isOver);
    setText(byId("live").lastElementChild, isOver ? WORDS.final : WORDS[state]);
}

/** Hides the search for a member when no board is shown. */
function closed(isClosed) {
    byId("aside").hidden = isClosed;
}

function refused(problem) {
    connection("refused");
    closed(true);
    if (problem.wantsKey) {
        byId("tools").hidden = true;
        board.instead(...keyForm(problem, start));
        return;
    }
    board.instead(element("h2", {}, "This board cannot be shown"), element("p", {}, problem.message));
}

/** Shows what the URL selects, with defaults for missing parts. */
async function route() {
    const wanted = current();
    const kind = kinds.find((known) => known.kind === wanted.kind);
    if (wanted.kind !== "" && kind === undefined) {
        stream.close();
        shown = null;
        connection("refused");
        closed(true);
        byId("tools").hidden = true;
        board.name(wanted.kind, wanted.subject || wanted.kind);
        board.instead(element("h2", {}, "This kind does not exist"),
            element("p", {}, "The link may be outdated. Choose another kind above."));
        return;
    }
    if (kind === undefined || wanted.subject === "") {
        await fillIn(kind ?? kinds[0]);
        return;
    }
    const state = { ...wanted, window: wanted.window || kind.windows[0], n: Math.min(wanted.n, kind.top) };
    const isSame = shown !== null
        && ["kind", "subject", "window", "n"].every((part) => shown.state[part] === state[part]);
    closed(false);
    choose.show(kind, state);
    boards.show(state);
    find.begin(kind, state);
    board.mark(state.member);
    if (isSame) return;
    shown = { kind, state };
    waiting = null;
    isFinal = false;
    board.begin(kind, state, (member) => go({ member }));
    announcer.begin();
    stream.open(state);
}

/** Selects the first board of a kind if the URL names none. */
async function fillIn(kind) {
    const { boards: known } = await api.boards(kind.kind, "", 1);
    const { kind: asked, subject } = current();
    if (subject !== "" || (asked !== "" && asked !== kind.kind)) return;
    settle({ kind: kind.kind, subject: known[0]?.subject ?? FIRST_SUBJECT });
    await route();
}

async function start() {
    shown = null;
    connection("connecting");
    try {
        ({ kinds, aheadMs } = await api.kinds());
        if (kinds.length === 0) {
            board.instead(element("h2", {}, "No kinds are configured"),
                element("p", {}, "Add a kind to megaboard.toml, or create one with PUT /v1/kinds/gifts."));
            return;
        }
        choose.kinds(kinds);
        await route();
    } catch (error) {
        if (error instanceof api.Problem && !error.mayPass) {
            refused(error);
            return;
        }
        connection("lost");
        // Random, so that the clients of a restarted server do not reconnect all at once.
        setTimeout(start, START_RETRY_MS * (0.5 + Math.random()));
    }
}

addEventListener("hashchange", () => {
    if (kinds.length > 0) route().catch(start);
});
byId("again").addEventListener("click", () => stream.now());
byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    byId("board").focus();
});
setInterval(() => {
    if (document.visibilityState === "hidden") return;
    board.tick(now());
    find.tick(now());
}, TICK_MS);
// In the background nothing is drawn: the newest state is shown when the tab becomes visible.
document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") find.changed(Date.now());
});
start();
