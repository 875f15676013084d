/**
 * Steps through the windows of a period that have members: ◀ to the one before, ▶ to the one after, and from the newest
 * one of the past to the live one. The server lists them, so that no calendar is needed here.
 */

import * as api from "./api.js";
import { byId } from "./dom.js";
import { isLive, periodOf } from "./windows.js";

/** The time after which a named window that is the live one may have ended. */
const LIVE_MS = 30_000;

export class Steps {
    #go;
    #state = null;
    #period = "all";
    #hasSteps = false;
    /** The live window, and all of this period that have members, by start. */
    #live = "";
    #names = [];
    /** The window that is shown. */
    #shown = "";
    #listedAt = 0;
    #turn = 0;
    #changed;

    /** `go(change)` changes what the page shows; `changed()` is called when it becomes known whether it is past. */
    constructor(go, changed) {
        this.#go = go;
        this.#changed = changed;
        byId("earlier").addEventListener("click", () => this.#step(this.#earlier()));
        byId("later").addEventListener("click", () => this.#step(this.#later()));
    }

    /** Begins another board or window. */
    begin(kind, state) {
        this.#turn += 1;
        const [before, period] = [this.#state, periodOf(state.window, kind)];
        const isSame = before?.kind === state.kind && before.subject === state.subject && this.#period === period;
        this.#state = state;
        this.#period = period;
        // The list of the same windows stays, so that the pressed button does.
        if (!isSame) [this.#live, this.#names] = ["", []];
        this.#shown = isLive(state.window) ? this.#live : state.window;
        this.#hasSteps = this.#period !== "all" && kind.windows.includes(this.#period);
        this.#show();
    }

    /** Notes the window of a frame, and requests the list when another one is shown than before. */
    frame({ window }) {
        if (!this.#hasSteps || (window === this.#shown && this.#live !== "")) return;
        this.#shown = window;
        this.#list();
    }

    /** Looks again whether a named window is still the live one: with another selector the stream says so. */
    tick() {
        if (!this.#hasSteps || isLive(this.#state.window) || this.isPast) return;
        if (Date.now() - this.#listedAt >= LIVE_MS) this.#list();
    }

    /** Whether the shown window is over; null while that is unknown. */
    get isPast() {
        if (!this.#hasSteps || isLive(this.#state.window)) return false;
        if (this.#live === "") return this.#state.window.endsWith("previous") ? true : null;
        return this.#shown !== this.#live;
    }

    async #list() {
        this.#turn += 1;
        const turn = this.#turn;
        this.#listedAt = Date.now();
        const found = await api.windows(this.#state, this.#period).catch(() => null);
        // The list only serves the buttons. Without it there are none to press, until another window begins.
        if (turn !== this.#turn || found === null) return;
        this.#live = found.selected;
        this.#names = found.names.filter((name) => name.startsWith(`${this.#period}:`));
        this.#show();
        this.#changed();
    }

    /** Returns the names with the shown one and the live one, which need not have members. */
    #all() {
        const missing = (names, name) => (name === "" || names.includes(name) ? [] : [name]);
        const names = [...this.#names, ...missing(this.#names, this.#live)];
        const at = names.findIndex((name) => name > this.#shown);
        return names.includes(this.#shown) ? names : names.toSpliced(at < 0 ? names.length : at, 0, this.#shown);
    }

    #earlier() {
        const all = this.#all();
        return all[all.indexOf(this.#shown) - 1] ?? null;
    }

    #later() {
        if (!this.isPast) return null;
        const all = this.#all();
        const next = all[all.indexOf(this.#shown) + 1] ?? this.#live;
        return next === this.#live ? this.#period : next;
    }

    #step(window) {
        if (window !== null) this.#go({ window });
    }

    /** A button without a step stays focusable, so that the focus is not lost at either end. */
    #show() {
        const steps = { earlier: this.#earlier(), later: this.#later() };
        byId("steps").hidden = Object.values(steps).every((step) => step === null);
        for (const [id, step] of Object.entries(steps)) byId(id).setAttribute("aria-disabled", String(step === null));
    }
}
