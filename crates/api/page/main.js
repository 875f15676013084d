/** The page: what the address says is chosen, connected and shown; what is clicked changes the address. */

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

/** A new board where nothing is known of any: what the empty board proposes to begin. */
const FIRST_SUBJECT = "room-1";

const TICK_MS = 1000;

/** What is over by then needs no banner: a server that ends a stream is asked again at once. */
const BANNER_AFTER_MS = 700;

const BEAT = [{ opacity: 0.7 }, { opacity: 0, transform: "scale(2.8)" }];
const BEAT_TIMING = { duration: 900, easing: "ease-out", pseudoElement: "::after" };

/** Between two tries to reach a server that has not answered at all yet, on average. */
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
/** What is shown, and the text of the newest frame that is not. */
let shown = null;
let waiting = null;

/** The time as the server has it. */
function now() {
    return Date.now() + aheadMs;
}

/** Frames are shown when the screen is drawn: of those that come between, and in a hidden tab, the last. */
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

/** The live dot beats with the board; on one that stands still it costs nothing. */
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

/** A board that has ended is connected to, and yet nothing on it is live. */
function sayConnection() {
    const { state } = byId("live").dataset;
    const isOver = state === "live" && isFinal;
    byId("live").classList.toggle("final", isOver);
    setText(byId("live").lastElementChild, isOver ? WORDS.final : WORDS[state]);
}

/** Without a board there is nobody to be found on it. */
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

/** Shows what the address says; what it leaves open is filled in. */
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
        board.instead(element("h2", {}, "There is no such kind of boards"),
            element("p", {}, "The link may be old. Choose another kind above."));
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

/** The first board of a kind, where none is asked for. */
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
            board.instead(element("h2", {}, "No kinds of boards yet"),
                element("p", {}, "Add one to megaboard.toml, or with PUT /v1/kinds/gifts."));
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
        // Not all readers of a server that was away at one moment.
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
// In the background nothing is drawn: what came last is shown as soon as somebody looks.
document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") find.changed(Date.now());
});
start();
