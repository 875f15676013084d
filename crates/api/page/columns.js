/**
 * How wide a board's columns are, and so which form its rows have: all in one line where there is room,
 * values in a line of their own where there is less, each value in its own line where there is least.
 * A number that is cut reads as another number; so rows become higher before anything is cut.
 */

import { element } from "./dom.js";
import { fieldLabel, number } from "./format.js";
import { gapText, valueOf } from "./row.js";

/** What a row has beside values and gap, in rem, as `board.css` lays it out: rank, name at least, age, padding. */
const BESIDE_REM = 3.75 + 11 + 6 + 1.5;

/** The same of a line that has values alone. */
const BESIDE_STACKED_REM = 3.75 + 1.5;

/** Below it there is no room for gap and age beside the name either. */
const NARROW_REM = 36;

/** Between two numbers side by side. */
const SPACE_REM = 1.25;

/** Values of this many signs are written smaller where it is narrow. */
const LONG_SIGNS = 14;

export class Columns {
    #table;
    #fields = [];
    /** The longest text of each value, and of the gap, with its width; they only grow, so that nothing twitches. */
    #values = [];
    #gap = null;
    #width = 0;

    /** The columns of a table, in the space that `around` has. */
    constructor(table, around) {
        this.#table = table;
        new ResizeObserver(([{ contentRect }]) => {
            this.#width = contentRect.width;
            this.#arrange();
        }).observe(around);
    }

    /** Another board. */
    begin(fields) {
        this.#fields = fields;
        this.#values = fields.map((field) => ({ text: "", least: `${fieldLabel(field)} ↓` }));
        this.#gap = { text: "", least: "−123,456" };
        this.#table.classList.toggle("many", fields.length > 1);
        this.#table.style.setProperty("--fields", fields.length);
        for (const column of this.#values) column.width = this.#measured("head-text", column.least);
        this.#gap.width = this.#measured("gap", this.#gap.least);
        this.#arrange();
    }

    /** Makes room for what entries show. */
    fit(entries) {
        let hasGrown = false;
        const widen = (column, text, className) => {
            if (text.length <= column.text.length) return;
            column.text = text;
            column.width = Math.max(column.width, this.#measured(className, text));
            hasGrown = true;
        };
        entries.forEach((entry, at) => {
            this.#fields.forEach((field, place) => widen(this.#values[place], number(valueOf(entry, field)), "value"));
            if (at > 0) widen(this.#gap, gapText(entry, entries[at - 1], this.#fields), "gap");
        });
        if (hasGrown) this.#arrange();
    }

    /** How wide a text is, in pixels: measured where it will stand, since nobody knows the reader's letters. */
    #measured(className, text) {
        const probe = element("div", { class: `probe ${className}`, "aria-hidden": "true" }, text);
        document.body.append(probe);
        const { width } = probe.getBoundingClientRect();
        probe.remove();
        return Math.ceil(width);
    }

    #arrange() {
        if (this.#gap === null || this.#width === 0) return;
        const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
        const values = this.#values.map(({ width }) => width + SPACE_REM * rem);
        const gap = this.#gap.width + SPACE_REM * rem;
        const all = values.reduce((sum, width) => sum + width, 0);
        const { style, dataset, classList } = this.#table;
        style.setProperty("--values", values.map((width) => `${width}px`).join(" "));
        style.setProperty("--shares", values.map((width) => `minmax(${width}px, ${width}fr)`).join(" "));
        style.setProperty("--gap", `${gap}px`);
        if (all + gap + BESIDE_REM * rem <= this.#width) dataset.form = "columns";
        else if (values.length === 1 || all + BESIDE_STACKED_REM * rem <= this.#width) dataset.form = "stacked";
        else dataset.form = "lines";
        classList.toggle("narrow", this.#width < NARROW_REM * rem);
        classList.toggle("long", this.#values.some(({ text }) => text.length >= LONG_SIGNS));
    }
}
