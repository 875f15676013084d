/** What a screen reader is told of a board that never stands still: who leads, seldom, and only when it is another. */

import { setText } from "./dom.js";
import { fieldLabel, number } from "./format.js";
import { valueOf } from "./row.js";

/** Between two sentences. */
const QUIET_MS = 10_000;

export class Announcer {
    #region;
    #said = "";
    /** What is to be said next, and of whom. */
    #next = "";
    #leader = "";
    #timer = 0;

    constructor(region) {
        this.#region = region;
    }

    /** Another board: what was said of the last one is no news of this one. */
    begin() {
        this.#said = "";
        this.#next = "";
    }

    /** Tells who leads, now or once it has been quiet for long enough. */
    leads(leader, field) {
        if (!leader || leader.member === this.#said) {
            this.#next = "";
            return;
        }
        this.#next = `${leader.member} leads with ${number(valueOf(leader, field))} ${fieldLabel(field).toLowerCase()}.`;
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
