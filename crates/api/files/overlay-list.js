/** The top of a board, as an overlay shows it. A row has a place by its index, to which it glides. */

import { element, foreign, setText } from "./dom.js";
import { hue } from "./format.js";
import { number, short } from "./numbers.js";
import { avatar, dress, nameOf, shareOf, valueOf } from "./row.js";

const MEDALS = ["gold", "silver", "bronze"];

/** Below this width there is no room for long numbers. */
const NARROW_REM = 30;

export class List {
    /** The words while there is nothing to show. */
    waiting = "overlay.empty";
    #into;
    #rows = new Map();

    constructor(into) {
        this.#into = into;
    }

    /** Whether entries are sufficient. */
    isReady(entries) {
        return entries.length > 0;
    }

    /** Shows entries, best first, by a field. */
    show(entries, field) {
        const before = this.#rows;
        this.#rows = new Map(entries.map((entry) => [entry.member, before.get(entry.member) ?? this.#made(entry)]));
        for (const [member, { made }] of before) {
            if (!this.#rows.has(member)) made.remove();
        }
        const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
        const format = this.#into.clientWidth < NARROW_REM * rem ? short : number;
        entries.forEach((entry, index) => this.#showRow(entry, index, field, entries[0], format));
        // The order of the elements is that of the list, for screen readers; where they are drawn is by index.
        const made = [...this.#rows.values()].map((row) => row.made);
        if (made.some((row, index) => this.#into.children[index] !== row)) this.#into.append(...made);
        this.#into.style.setProperty("--rows", entries.length);
    }

    #made({ member }) {
        const row = {
            rank: element("span", { class: "rank" }), worn: avatar(member),
            name: element("span", { class: "name" }, foreign(member)), value: element("span", { class: "value" }), dressed: "",
        };
        row.made = element("li", {}, row.rank, row.worn, row.name, row.value);
        row.made.dataset.member = member;
        return row;
    }

    #showRow(entry, index, field, leader, format) {
        const { made, rank, worn, name, value } = this.#rows.get(entry.member);
        made.style.setProperty("--at", index);
        made.style.setProperty("--share", shareOf(entry, leader, field));
        made.dataset.medal = MEDALS[entry.rank - 1] ?? "";
        setText(rank, number(entry.rank));
        setText(value, format(valueOf(entry, field)));
        wear(this.#rows.get(entry.member), worn, name, entry);
    }
}

/** Shows an entry's name and avatar, if they have changed. */
export function wear(kept, worn, name, entry) {
    const dressed = JSON.stringify([entry.member, nameOf(entry), entry.profile?.avatar]);
    if (kept.dressed === dressed) return;
    kept.dressed = dressed;
    worn.className = `avatar hue-${hue(entry.member)}`;
    setText(name.firstElementChild, nameOf(entry));
    dress(worn, entry);
}
