/** The first two members of a board against each other. Each keeps its side while it is one of the two. */

import { element, foreign, setText } from "./dom.js";
import { distance, short } from "./numbers.js";
import { wear } from "./overlay-list.js";
import { avatar, valueOf } from "./row.js";
import { word } from "./words.js";

const SIDES = ["left", "right"];

export class Battle {
    #into;
    #members = ["", ""];
    #sides;
    #difference = element("span", { class: "difference" });

    constructor(into) {
        this.#into = into;
        this.#sides = SIDES.map((side) => {
            const [worn, name] = [avatar(""), element("span", { class: "name" }, foreign(""))];
            const value = element("span", { class: "value" });
            return { made: element("div", { class: `fighter ${side}` }, worn, name, value), worn, name, value, dressed: "" };
        });
        const bar = element("div", { class: "versus", "aria-hidden": "true" }, element("i", { class: "left" }), element("i", { class: "right" }));
        into.replaceChildren(element("div", { class: "fighters" }, this.#sides[0].made, this.#difference, this.#sides[1].made), bar);
    }

    /** Shows two entries by a field. */
    show(entries, field) {
        const sides = this.#seated(entries);
        sides.forEach((entry, at) => this.#showSide(this.#sides[at], entry, field));
        const [left, right] = sides.map((entry) => valueOf(entry, field));
        this.#into.style.setProperty("--signs", Math.max(...[left, right].map((value) => short(value).length)));
        const whole = left > 0 && right > 0 && field.order !== "asc" ? left + right : 0;
        this.#into.style.setProperty("--part", whole > 0 ? left / whole : 0.5);
        const [first] = entries;
        const ahead = sides.indexOf(first);
        const isLevel = left === right;
        this.#into.dataset.ahead = isLevel ? "" : SIDES[ahead];
        const isKnown = left !== null && right !== null;
        setText(this.#difference, isLevel || !isKnown ? word("gap.tied") : `+${short(distance(left, right))}`);
    }

    /** Returns the two entries by side. */
    #seated(entries) {
        const [first, second] = entries;
        const isSwapped = first.member === this.#members[1] || second.member === this.#members[0];
        const sides = isSwapped ? [second, first] : [first, second];
        this.#members = sides.map(({ member }) => member);
        return sides;
    }

    #showSide(side, entry, field) {
        side.made.dataset.member = entry.member;
        setText(side.value, short(valueOf(entry, field)));
        wear(side, side.worn, side.name, entry);
    }
}
