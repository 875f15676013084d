/** The state of the connection and of the newest frame: the badge in the bar, and the banner below it. */

import { byId, mayMove, setText } from "./dom.js";
import { clock } from "./format.js";
import { word } from "./words.js";

/** Delay of the banner: after a server has ended a stream, the reconnect usually succeeds earlier. */
const BANNER_AFTER_MS = 700;

const BEAT = [{ opacity: 0.7 }, { opacity: 0, transform: "scale(2.8)" }];
const BEAT_TIMING = { duration: 900, easing: "ease-out", pseudoElement: "::after" };

export class Connection {
    #badge = byId("live");
    #banner = byId("banner");
    #timer = 0;
    #state = "connecting";
    /** The newest frame of the board, if there is one. */
    #frame = null;
    #phase = null;

    /** Begins another board. */
    begin() {
        this.#frame = null;
        this.#phase = null;
    }

    /** Shows the state of the connection; `why` is the problem by which it was lost. */
    state(state, why = null) {
        this.#state = state;
        clearTimeout(this.#timer);
        const isStore = why?.type === "unavailable";
        if (state !== "lost") this.#show();
        else if (!this.#banner.hidden) this.#lost(isStore);
        else this.#timer = setTimeout(() => this.#lost(isStore), BANNER_AFTER_MS);
        this.#showBadge();
    }

    /** Shows what a frame says: whether it is stale, and its phase. */
    frame(frame, phase) {
        this.#frame = frame;
        this.#phase = phase;
        this.#show();
        this.#showBadge();
        const dot = this.#badge.firstElementChild;
        if (mayMove() && dot.getAnimations({ subtree: true }).length === 0) dot.animate(BEAT, BEAT_TIMING);
    }

    /** Whether what is shown may be outdated. */
    get isAway() {
        return this.#state === "lost" || this.#frame?.stale === true;
    }

    #show() {
        if (this.#state === "lost") return;
        const hadFocus = byId("again") === document.activeElement;
        this.#banner.hidden = this.#frame?.stale !== true;
        byId("again").hidden = true;
        if (hadFocus) byId("board").focus({ preventScroll: true });
        if (!this.#banner.hidden) this.#say("away.store.since");
    }

    #lost(isStore) {
        this.#banner.hidden = false;
        byId("again").hidden = false;
        const key = isStore ? "away.store" : "away.server";
        this.#say(this.#frame === null ? key : `${key}.since`);
    }

    #say(key) {
        const time = this.#frame && clock(Date.parse(this.#frame.as_of));
        setText(this.#banner.querySelector("span"), word(key, { time }));
    }

    #showBadge() {
        this.#badge.dataset.state = this.#state;
        const shown = this.#state === "live" ? this.#ofFrame() : this.#state;
        this.#badge.dataset.shown = shown;
        setText(this.#badge.lastElementChild, word(`state.${shown}`));
    }

    #ofFrame() {
        if (this.#frame?.stale) return "stale";
        return this.#phase ?? "connecting";
    }
}
