/**
 * Two members of a board against each other: the first two, or two that are named. Who is on which side depends on
 * nothing but that, so that all who look see the same: the named ones as named, others by their ids.
 */

import { element, foreign, setText } from "./dom.js";
import { distance, short } from "./numbers.js";
import { wear } from "./overlay-list.js";
import { avatar, valueOf } from "./row.js";
import { word } from "./words.js";

const SIDES = ["left", "right"];

export class Battle {
    /** The words while there is nothing to show. */
    waiting = "overlay.alone";
    #into;
    #named;
    #sides;
    #difference = element("span", { class: "difference" });

    /** `named` are the ids of the left and the right member, or null. */
    constructor(into, named) {
        this.#into = into;
        this.#named = named;
        this.#sides = SIDES.map((side) => {
            const [worn, name] = [avatar(""), element("span", { class: "name" }, foreign(""))];
            const value = element("span", { class: "value" });
            return { made: element("div", { class: `fighter ${side}` }, worn, name, value), worn, name, value, dressed: "" };
        });
        const bar = element("div", { class: "versus", "aria-hidden": "true" }, element("i", { class: "left" }), element("i", { class: "right" }));
        into.replaceChildren(element("div", { class: "fighters" }, this.#sides[0].made, this.#difference, this.#sides[1].made), bar);
    }

    /** Whether entries are sufficient. Named members are shown before they are among them. */
    isReady(entries) {
        return this.#named !== null || entries.length >= 2;
    }

    /** Shows entries by a field. */
    show(entries, field) {
        const sides = this.#seated(entries);
        const [left, right] = sides.map((entry) => valueOf(entry, field) ?? null);
        sides.forEach((entry, at) => this.#showSide(this.#sides[at], entry, [left, right][at]));
        this.#into.style.setProperty("--signs", Math.max(...[left, right].map((value) => short(value).length)));
        const whole = left > 0 && right > 0 && field.order !== "asc" ? left + right : 0;
        this.#into.style.setProperty("--part", whole > 0 ? left / whole : 0.5);
        const ahead = sides.indexOf(entries.find((entry) => sides.includes(entry)));
        this.#into.dataset.ahead = left === right ? "" : SIDES[ahead];
        setText(this.#difference, differenceOf(left, right));
    }

    /** Returns the two entries by side; of a named member without one only its id. */
    #seated(entries) {
        if (this.#named === null) return entries.slice(0, 2).sort((a, b) => (a.member < b.member ? -1 : 1));
        return this.#named.map((member) => entries.find((entry) => entry.member === member) ?? { member });
    }

    #showSide(side, entry, value) {
        side.made.dataset.member = entry.member;
        setText(side.value, short(value));
        wear(side, side.worn, side.name, entry);
    }
}

function differenceOf(left, right) {
    if (left === null || right === null) return "–";
    return left === right ? word("gap.tied") : `+${short(distance(left, right))}`;
}
