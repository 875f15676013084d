/** Announces a new leader to screen readers, at most every `QUIET_MS`. */

import { setText } from "./dom.js";
import { amount } from "./format.js";
import { nameOf, valueOf } from "./row.js";
import { word } from "./words.js";

/** Minimum time between two announcements. */
const QUIET_MS = 10_000;

export class Announcer {
    #region;
    #said = "";
    /** The pending announcement, and the leader that it names. */
    #next = "";
    #leader = "";
    #timer = 0;

    constructor(region) {
        this.#region = region;
    }

    /** Forgets the announcements of the previous board. */
    begin() {
        this.#said = "";
        this.#next = "";
    }

    /** Announces the leader, at once or after the minimum time. */
    leads(leader, field) {
        if (!leader || leader.member === this.#said) {
            this.#next = "";
            return;
        }
        this.#next = word("leads", { name: nameOf(leader), amount: amount(valueOf(leader, field), field) });
        this.#leader = leader.member;
        if (this.#timer === 0) this.#speak();
    }

    #speak() {
        this.#timer = 0;
        if (this.#next === "") return;
        setText(this.#region, this.#next);
        this.#said = this.#leader;
        this.#next = "";
        this.#timer = setTimeout(() => this.#speak(), QUIET_MS);
    }
}
