/** The page: shows the board that the URL selects. Every click changes the URL. */

import { Activity } from "./activity.js";
import { Announcer } from "./announce.js";
import * as api from "./api.js";
import { Board } from "./board.js";
import { Boards } from "./boards.js";
import { Choose } from "./choose.js";
import { Connection } from "./connection.js";
import { byId, element } from "./dom.js";
import { Find } from "./find.js";
import { Instead } from "./instead.js";
import { keyForm } from "./keyform.js";
import { languageChoice, themeSwitch } from "./looks.js";
import { isOver, phaseOf } from "./phase.js";
import { current, go, settle } from "./state.js";
import { Steps } from "./steps.js";
import { Stream } from "./stream.js";
import { label, word } from "./words.js";

/** The subject that is proposed when a kind has no boards. */
const FIRST_SUBJECT = "room-1";

const TICK_MS = 1000;

/** Mean pause between two attempts to reach a server that has not responded yet. */
const START_RETRY_MS = 2000;

label();
languageChoice();
themeSwitch();

const board = new Board();
const find = new Find(go, () => shown?.frame ?? null, now);
const choose = new Choose(go);
const boards = new Boards(go);
const steps = new Steps(go, sayFrame);
const instead = new Instead(go);
const activity = new Activity();
const connection = new Connection();
const announcer = new Announcer(byId("said"));
const stream = new Stream({ board: arrived, state: connected, refused });

let kinds = [];
let aheadMs = 0;
let startTimer = 0;
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
    const isNew = shown.frame?.window !== frame.window;
    shown.frame = frame;
    steps.frame(frame);
    sayFrame();
    announcer.leads(frame.entries[0], shown.kind.fields[0]);
    find.changed(Date.now());
    if (isNew && frame.members === 0) lookElsewhere();
}

/** Shows the newest frame, and whether its window is over. */
function sayFrame() {
    if (shown === null || shown.frame === null) return;
    const { frame } = shown;
    shown.phase = phaseOf(frame, now(), steps.isPast);
    board.show(frame, now(), shown.phase);
    connection.frame(frame, shown.phase);
    board.away(connection.isAway);
    activity.show(frame, now(), isOver(shown.phase));
}

/** Notes that a board has begun or ended, and looks now and then whether its window has. */
function sayPhase() {
    if (shown === null || shown.frame === null) return;
    steps.tick();
    if (phaseOf(shown.frame, now(), steps.isPast) !== shown.phase) sayFrame();
}

/** Looks whether another window of a board has members, and shows it unless the URL names the empty one. */
async function lookElsewhere() {
    const { kind, state } = shown;
    const isFound = await instead.find(kind, state).catch(() => false);
    const { kind: asked, subject, window } = current();
    if (!isFound || asked !== kind.kind || subject !== state.subject) return;
    if (window === "") {
        await route();
    } else if (shown?.state === state) {
        board.hasOthers = true;
        sayFrame();
    }
}

function connected(state, why) {
    connection.state(state, why);
    board.away(connection.isAway);
}

/** Hides what belongs to a board when none is shown. */
function closed(isClosed) {
    byId("side").hidden = isClosed;
    if (!isClosed) return;
    byId("tools").hidden = true;
    byId("instead").hidden = true;
}

/** Whether the window of the URL is no longer kept, or there is none like it. */
function isOfWindow({ type, message }) {
    return ["window-gone", "unknown-window"].includes(type) || (type === "invalid" && message.startsWith("window:"));
}

function refused(problem) {
    connection.state("refused");
    closed(true);
    if (problem.wantsKey) {
        board.instead(element("h2", {}, word("key.title")), ...keyForm(problem, start));
        return;
    }
    if (!isOfWindow(problem)) {
        board.instead(element("h2", {}, word("refused")), element("p", { lang: "en" }, problem.message));
        return;
    }
    const back = element("button", { type: "button", class: "way" }, word("refused.back"));
    back.addEventListener("click", () => go({ window: "" }));
    board.instead(element("h2", {}, word("refused")),
        element("p", {}, word(problem.type === "window-gone" ? "refused.gone" : "refused.window")),
        element("div", { class: "ways" }, back));
}

/** Shows what the URL selects, with defaults for missing parts. */
async function route() {
    const wanted = current();
    const kind = kinds.find((known) => known.kind === wanted.kind);
    if (wanted.kind !== "" && kind === undefined) {
        stream.close();
        shown = null;
        // Without a key only public kinds are listed, and others may need one.
        const trouble = api.mayAdminister(kinds) ? null : await api.troubleOf(wanted.kind);
        if (current().kind !== wanted.kind) return;
        if (trouble instanceof api.Problem && trouble.wantsKey) {
            refused(trouble);
            return;
        }
        connection.state("refused");
        closed(true);
        board.name(wanted.kind, wanted.subject || wanted.kind);
        // So that each kind can be chosen.
        byId("kind").value = "";
        byId("subject").value = "";
        board.instead(element("h2", {}, word("kind.unknown")), element("p", {}, word("kind.unknown.why")));
        return;
    }
    if (kind === undefined || wanted.subject === "") {
        await fillIn(kind ?? kinds[0]);
        return;
    }
    const isChosen = wanted.window !== "";
    const state = { ...wanted, window: isChosen ? wanted.window : instead.of(kind, wanted), n: Math.min(wanted.n, kind.top) };
    const isSame = shown !== null
        && ["kind", "subject", "window", "n"].every((part) => shown.state[part] === state[part]);
    closed(false);
    choose.show(kind, state);
    instead.show(kind, state.window, isChosen);
    boards.show(state);
    find.begin(kind, state);
    board.mark(state.member);
    if (isSame) return;
    shown = { kind, state, isChosen, frame: null, phase: null };
    waiting = null;
    connection.begin();
    board.begin(kind, state, (member) => go({ member }));
    steps.begin(kind, state);
    activity.begin(kind);
    announcer.begin();
    stream.open(state);
}

/** Selects the first board of a kind if the URL names none. */
async function fillIn(kind) {
    const { boards: known } = await api.boards(kind.kind, "", 1);
    const { kind: asked, subject } = current();
    if (subject !== "" || (asked !== "" && asked !== kind.kind)) return;
    board.isFirst = known.length === 0;
    settle({ kind: kind.kind, subject: known[0]?.subject ?? FIRST_SUBJECT });
    await route();
}

async function start({ isRetry = false } = {}) {
    shown = null;
    if (!isRetry) connection.state("connecting");
    try {
        ({ kinds, aheadMs } = await api.kinds());
        byId("admin").hidden = !api.mayAdminister(kinds);
        if (kinds.length === 0) {
            connection.state("connecting");
            closed(true);
            board.inviteKind();
            later();
            return;
        }
        choose.kinds(kinds);
        await route();
    } catch (error) {
        if (error instanceof api.Problem && !error.mayPass) {
            refused(error);
            return;
        }
        connection.state("lost", error instanceof api.Problem ? error : null);
        closed(true);
        later();
    }
}

/** Starts again after a random pause, so that the clients of a restarted server do not reconnect all at once. */
function later() {
    startTimer = setTimeout(() => start({ isRetry: true }), START_RETRY_MS * (0.5 + Math.random()));
}

addEventListener("hashchange", () => {
    if (kinds.length > 0) route().catch(() => start());
});
byId("again").addEventListener("click", () => {
    clearTimeout(startTimer);
    if (shown === null) start({ isRetry: true });
    else stream.now();
});
byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    byId("board").focus();
});
setInterval(() => {
    if (document.visibilityState === "hidden") return;
    sayPhase();
    board.tick(now());
    find.tick();
    activity.tick(now());
}, TICK_MS);
// In the background nothing is drawn: the newest state is shown when the tab becomes visible.
document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") find.changed(Date.now());
});
start();
