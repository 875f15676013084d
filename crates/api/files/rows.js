/**
 * Rows by member: shows a frame's entries as rows, and animates rows that have moved.
 *
 * The technique is FLIP (first, last, invert, play). Since all rows have the same height, the old and new offsets follow
 * from the indices and the progress of running animations. So a frame reads the layout once, before any change.
 */

import { mayMove, put } from "./dom.js";
import { Row } from "./row.js";

const GLIDE = { duration: 520, easing: "cubic-bezier(.22,.8,.24,1)" };
const ENTER = { duration: 380, easing: "ease-out", fill: "backwards" };
const LEAVE = { duration: 320, easing: "ease-in" };

/** Delay between rows of a board that is shown for the first time. */
const STAGGER_MS = 24;
const STAGGERED_MAX = 12;

export class Rows {
    #list;
    #ghosts;
    #rows = new Map();
    #order = [];
    #own = "";
    #fields = [];
    #onPick = null;

    /** Rows are in `list`; removed rows fade out in `ghosts`, if given, which is laid over it. */
    constructor(list, ghosts = null) {
        this.#list = list;
        this.#ghosts = ghosts;
    }

    /** Begins another board: removes all rows. */
    begin(fields, onPick) {
        this.#fields = fields;
        this.#onPick = onPick;
        this.#rows.clear();
        this.#order = [];
        this.#list.replaceChildren();
        this.#ghosts?.replaceChildren();
    }

    /** Shows entries, best first; shares are relative to `leader`. */
    show(entries, leader, now) {
        const isFirst = this.#order.length === 0;
        const view = mayMove() && !isFirst ? this.#measure() : null;
        const before = this.#rows;
        const focused = this.#focused();
        const rows = new Map();
        this.#order = entries.map(({ member }) => {
            const row = before.get(member) ?? new Row(member, this.#fields, this.#onPick);
            rows.set(member, row);
            return row;
        });
        this.#rows = rows;
        for (const [member, row] of before) {
            if (!rows.has(member)) this.#leave(row, view);
        }
        // Before other changes: Chromium loses changes in an element that moveBefore moves.
        this.#arrange();
        this.#order.forEach((row, index) => {
            const from = row.index;
            row.index = index;
            row.show(entries[index], entries[index - 1] ?? null, leader, now);
            row.own(row.member === this.#own);
            if (view) this.#move(row, from, index, view);
            else row.motion?.cancel();
        });
        // Keyboard focus of a removed row moves to the row that is now at its index.
        if (focused && !rows.has(focused.member)) this.#order[Math.min(focused.index, this.#order.length - 1)]?.focus();
        if (isFirst && mayMove()) this.#present();
    }

    #focused() {
        const at = document.activeElement;
        return this.#list.contains(at) ? this.#order.find((row) => row.element.contains(at)) : undefined;
    }

    /** Marks this member's row, or no row. */
    mark(member) {
        this.#own = member;
        for (const row of this.#order) row.own(row.member === member);
    }

    /** Updates relative times. */
    tick(now) {
        for (const row of this.#order) row.tick(now);
    }

    /** Returns the visible rows and the height of a row. This is the only read of the layout. */
    #measure() {
        const { top } = this.#list.getBoundingClientRect();
        const [first, second] = this.#order;
        const height = first.element.offsetHeight;
        const pitch = second ? second.element.offsetTop - first.element.offsetTop : height;
        const [from, to] = [-top / pitch - 1, (innerHeight - top) / pitch];
        return { pitch, isSeen: (place) => place >= from && place <= to };
    }

    /** Reorders the elements with few moves: one if a single row has moved. */
    #arrange() {
        let at = this.#list.firstElementChild;
        for (const { element } of this.#order) {
            if (element === at) {
                at = at.nextElementSibling;
            } else if (at !== null && element === at.nextElementSibling) {
                // The element that was here belongs further down and is moved there later.
                at = element.nextElementSibling;
            } else {
                put(this.#list, element, at);
            }
        }
    }

    #move(row, from, to, view) {
        if (from < 0) {
            row.element.animate([{ opacity: 0, transform: `translateY(${view.pitch / 2}px)` }, {}], ENTER);
            return;
        }
        if (from === to) return;
        row.places(from - to);
        const rest = row.motion?.playState === "running"
            ? row.offset * (1 - row.motion.effect.getComputedTiming().progress) : 0;
        row.motion?.cancel();
        if (!view.isSeen(from) && !view.isSeen(to)) return;
        row.offset = (from - to) * view.pitch + rest;
        const frames = [{ transform: `translateY(${row.offset}px)` }, { transform: "none" }];
        row.motion = row.element.animate(frames, GLIDE);
        row.element.classList.toggle("climbing", from > to);
    }

    #leave(row, view) {
        row.motion?.cancel();
        row.element.remove();
        if (view === null || this.#ghosts === null || !view.isSeen(row.index)) return;
        row.element.style.top = `${row.index * view.pitch}px`;
        row.element.querySelector("button").tabIndex = -1;
        this.#ghosts.append(row.element);
        const fall = [{ opacity: 1 }, { opacity: 0, transform: `translateY(${view.pitch * 0.6}px)` }];
        row.element.animate(fall, LEAVE).finished.then(() => row.element.remove(), () => row.element.remove());
    }

    #present() {
        this.#order.slice(0, STAGGERED_MAX).forEach((row, index) => {
            row.element.animate([{ opacity: 0, transform: "translateY(14px)" }, {}],
                { ...ENTER, delay: index * STAGGER_MS });
        });
    }
}
