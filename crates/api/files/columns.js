/**
 * The layout of a table: the widths of its columns, and the form of its rows. A form is a layout of a row in `forms.css`
 * or `find.css`. A truncated number reads as another number, so the first form that truncates nothing is used.
 *
 * The user's font is unknown, so widths are measured: an invisible row with the widest texts is laid out in each form,
 * and its cells are compared with their contents.
 */

import { element } from "./dom.js";
import { age, fieldLabel } from "./format.js";
import { number } from "./numbers.js";
import { gapText, isLong, Row, valueOf } from "./row.js";
import { word } from "./words.js";

/** Forms of the board, from low rows to high ones. The last one is used if none fits. */
export const FORMS = ["columns", "stacked", "tall", "lines"];

/** Forms of a found member's neighbours. */
export const NEAR_FORMS = ["near", "near-tall"];

/** Below this width fonts and distances are smaller. */
const NARROW_REM = 36;

/** Texts for which every column has room, so that boards rarely change their form later. */
const USUAL = {
    rank: ["100"], gap: [number(-123_456), word("gap.leader"), word("gap.tied")],
    age: [0, 59, 59 * 60].map((seconds) => age(0, seconds * 1000)),
};

/** The contents of a cell, each compared with its cell. */
const CONTENTS = ".medal, .name bdi, .number, .gap > :first-child, time";

/** Tolerance for rounding of layouts, in pixels. */
const SLACK_PX = 0.5;

export class Columns {
    #table;
    #forms;
    #fields = [];
    #columns = null;
    #width = 0;
    /** The sizer: an element with the classes and the width of the table, which contains the row with the widest texts. */
    #sizer = element("div", { "aria-hidden": "true" });
    #model = null;

    /** Lays out a table in one of these forms, in the width of `around`, which has a width also if the table is hidden. */
    constructor(table, forms, around = table) {
        this.#table = table;
        this.#forms = forms;
        table.after(this.#sizer);
        new ResizeObserver(([{ contentRect }]) => {
            if (this.#width === contentRect.width) return;
            this.#width = contentRect.width;
            this.#arrange();
        }).observe(around);
    }

    /** Begins another board. */
    begin(fields) {
        this.#fields = fields;
        this.#table.classList.toggle("many", fields.length > 1);
        this.#table.style.setProperty("--fields", fields.length);
        this.#model = new Row("", fields, () => {});
        this.#sizer.style.setProperty("--fields", fields.length);
        this.#sizer.replaceChildren(this.#model.element);
        this.#columns = {
            rank: new Column((text) => (isLong(text) ? "medal long" : "medal"), word("column.rank")),
            values: fields.map((field) => new Column(() => "value", `${fieldLabel(field)} ↓`)),
            gap: new Column(() => "gap", word("column.gap")),
            age: new Column(() => "age", word("column.reached")),
        };
        this.#sizer.className = "";
        this.#imitate();
        for (const [name, texts] of Object.entries(USUAL)) {
            for (const text of texts) this.#columns[name].widen(text, this.#sizer);
        }
        this.#arrange();
    }

    /** Makes room for the entries' texts. Columns only grow, so that the layout is steady. */
    fit(entries, now) {
        const { rank, values, gap, age: ages } = this.#columns;
        const texts = entries.flatMap((entry, at) => [
            [rank, number(entry.rank)],
            ...this.#fields.map((field, place) => [values[place], number(valueOf(entry, field))]),
            [gap, at > 0 ? gapText(entry, entries[at - 1], this.#fields) : ""],
            [ages, age(Date.parse(entry.reached_at), now)],
        ]);
        const unseen = texts.filter(([column, text]) => !column.hasSeen(text));
        // The usual case: nothing has grown, and the layout is not read.
        if (unseen.length === 0 && this.#sizer.dataset.shown === this.#table.dataset.shown) return;
        const isOther = this.#imitate();
        const grown = unseen.map(([column, text]) => column.widen(text, this.#sizer));
        if (isOther || grown.includes(true)) this.#arrange();
    }

    /** Copies the font and layout settings of the table to the sizer; returns whether they have changed. */
    #imitate() {
        const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
        this.#table.classList.toggle("narrow", this.#width < NARROW_REM * rem);
        const { className, dataset } = this.#table;
        const wanted = `${className} sizer`;
        const isOther = this.#sizer.className !== wanted || this.#sizer.dataset.shown !== dataset.shown;
        this.#sizer.className = wanted;
        if (dataset.shown !== undefined) this.#sizer.dataset.shown = dataset.shown;
        this.#sizer.dataset.form = this.#forms[0];
        if (isOther) this.#all().forEach((column) => column.measure(this.#sizer));
        return isOther;
    }

    #arrange() {
        if (this.#columns === null || this.#width === 0) return;
        this.#imitate();
        const { rank, values, gap, age: ages } = this.#columns;
        this.#model.showTexts({
            rank: rank.text, values: values.map(({ text }) => text), gap: gap.text, age: ages.text,
        });
        this.#sizer.style.width = `${this.#width}px`;
        const widths = values.map(({ width }) => width);
        this.#set("--rank-text", `${rank.width}px`);
        this.#set("--values", widths.map((width) => `${width}px`).join(" "));
        this.#set("--shares", widths.map((width) => `minmax(${width}px, ${width}fr)`).join(" "));
        this.#set("--gap", `${gap.width}px`);
        this.#set("--age", `${ages.width}px`);
        const fits = (form) => {
            this.#sizer.dataset.form = form;
            return !this.#isCut();
        };
        this.#table.dataset.form = this.#forms.find(fits) ?? this.#forms.at(-1);
    }

    #all() {
        return Object.values(this.#columns).flat();
    }

    #set(name, value) {
        for (const { style } of [this.#table, this.#sizer]) style.setProperty(name, value);
    }

    /** Whether any text in the widest row is truncated. */
    #isCut() {
        const row = this.#model.element;
        const whole = row.getBoundingClientRect();
        return [...row.querySelectorAll(CONTENTS)].some((content) => {
            if (!content.checkVisibility()) return false;
            const own = content.getBoundingClientRect();
            const cell = content.closest("[role=cell]").getBoundingClientRect();
            return isOut(own, cell) || isOut(cell, whole);
        });
    }
}

/** A column: its widest text so far, and its width, with the distance to the previous column. */
class Column {
    text = "";
    #textWidth = 0;
    #headWidth = 0;
    #classOf;
    #head;
    #seen = new Set();

    /** `classOf` returns the class of a text; `head` is the heading. */
    constructor(classOf, head) {
        this.#classOf = classOf;
        this.#head = head;
    }

    get width() {
        return Math.max(this.#textWidth, this.#headWidth);
    }

    /** Whether a text is known to fit: it, or one that differs only in its digits, was seen before. */
    hasSeen(text) {
        return this.#seen.has(shapeOf(text));
    }

    /** Makes room for a text; returns whether the column has grown. */
    widen(text, sizer) {
        const shape = shapeOf(text);
        this.#seen.add(shape);
        const width = measured(this.#classOf(shape), shape, sizer);
        if (width <= this.#textWidth) return false;
        this.text = shape;
        this.#textWidth = width;
        return true;
    }

    /** Measures again after the font has changed. */
    measure(sizer) {
        this.#headWidth = measured(`${this.#classOf("")} head-text`, this.#head, sizer);
        if (this.text !== "") this.#textWidth = measured(this.#classOf(this.text), this.text, sizer);
    }
}

/** Returns a key for all texts that differ only in their digits. */
function shapeOf(text) {
    return text.replace(/\d/g, "0");
}

/** Measures the width of a text of this class, in pixels. */
function measured(className, text, sizer) {
    const probe = element("div", { class: `probe ${className}` }, text);
    sizer.append(probe);
    const { width } = probe.getBoundingClientRect();
    probe.remove();
    return Math.ceil(width);
}

function isOut(inner, outer) {
    return inner.left < outer.left - SLACK_PX || inner.right > outer.right + SLACK_PX;
}
