/**
 * How a table uses its width: how wide its columns are, and which form its rows have. A form is a layout of a row in
 * `forms.css` or `find.css`. A number that is cut reads as another number, so the first form is taken that cuts nothing.
 *
 * The reader's font is unknown. So nothing is calculated: a row with the widest texts, which is not visible, is laid out in
 * each form, and its cells are compared with what they contain.
 */

import { element } from "./dom.js";
import { age, fieldLabel, number } from "./format.js";
import { gapText, isLong, Row, valueOf } from "./row.js";

/** Forms of the board, from low rows to high ones. The last one is taken where none fits. */
export const FORMS = ["columns", "stacked", "tall", "lines"];

/** Forms of the neighbours of a member that was found. */
export const NEAR_FORMS = ["near", "near-tall"];

/** Below it type and distances are smaller. */
const NARROW_REM = 36;

/** Texts that every column has room for, so that few boards change their form later. */
const USUAL = { rank: ["100"], gap: ["−123,456", "Leader"], age: ["just now", "59 min ago"] };

/** What a cell may contain, each compared with its cell. */
const CONTENTS = ".medal, .name bdi, .number, .gap > :first-child, time";

/** Rounding of layouts, in pixels. */
const SLACK_PX = 0.5;

export class Columns {
    #table;
    #forms;
    #fields = [];
    #columns = null;
    #width = 0;
    /** Has the classes and the width of the table, and in it the row with the widest texts. */
    #sizer = element("div", { "aria-hidden": "true" });
    #model = null;

    /** The columns of a table in one of these forms, in the width of `around`, which may be there where the table is hidden. */
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

    /** Another board. */
    begin(fields) {
        this.#fields = fields;
        this.#table.classList.toggle("many", fields.length > 1);
        this.#table.style.setProperty("--fields", fields.length);
        this.#model = new Row("", fields, () => {});
        this.#sizer.style.setProperty("--fields", fields.length);
        this.#sizer.replaceChildren(this.#model.element);
        this.#columns = {
            rank: new Column((text) => (isLong(text) ? "medal long" : "medal"), "Rank"),
            values: fields.map((field) => new Column(() => "value", `${fieldLabel(field)} ↓`)),
            gap: new Column(() => "gap", "Gap"),
            age: new Column(() => "age", "Reached"),
        };
        this.#sizer.className = "";
        this.#imitate();
        for (const [name, texts] of Object.entries(USUAL)) {
            for (const text of texts) this.#columns[name].widen(text, this.#sizer);
        }
        this.#arrange();
    }

    /** Makes room for what entries show. Columns only grow, so that nothing twitches. */
    fit(entries, now) {
        const { rank, values, gap, age: ages } = this.#columns;
        const texts = entries.flatMap((entry, at) => [
            [rank, number(entry.rank)],
            ...this.#fields.map((field, place) => [values[place], number(valueOf(entry, field))]),
            [gap, at > 0 ? gapText(entry, entries[at - 1], this.#fields) : ""],
            [ages, age(Date.parse(entry.reached_at), now)],
        ]);
        const unseen = texts.filter(([column, text]) => !column.hasSeen(text));
        // What nearly every frame comes to: no look at the layout.
        if (unseen.length === 0 && this.#sizer.dataset.shown === this.#table.dataset.shown) return;
        const isOther = this.#imitate();
        const grown = unseen.map(([column, text]) => column.widen(text, this.#sizer));
        if (isOther || grown.includes(true)) this.#arrange();
    }

    /** Gives the sizer what decides the type and layout of the table; says whether it had something else. */
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

    /** Whether anything in the row with the widest texts is not seen whole. */
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

/** What a column shows: the widest text so far, and how wide the column is, with the distance to the one before. */
class Column {
    text = "";
    #textWidth = 0;
    #headWidth = 0;
    #classOf;
    #head;
    #seen = new Set();

    /** `classOf` is the class that a text has, `head` what stands above. */
    constructor(classOf, head) {
        this.#classOf = classOf;
        this.#head = head;
    }

    get width() {
        return Math.max(this.#textWidth, this.#headWidth);
    }

    /** Whether there is room for a text, since it was seen before, or one that differs in digits alone. */
    hasSeen(text) {
        return this.#seen.has(shapeOf(text));
    }

    /** Makes room for a text; says whether there was less. */
    widen(text, sizer) {
        const shape = shapeOf(text);
        this.#seen.add(shape);
        const width = measured(this.#classOf(shape), shape, sizer);
        if (width <= this.#textWidth) return false;
        this.text = shape;
        this.#textWidth = width;
        return true;
    }

    /** Measures again, since the type has changed. */
    measure(sizer) {
        this.#headWidth = measured(`${this.#classOf("")} head-text`, this.#head, sizer);
        if (this.text !== "") this.#textWidth = measured(this.#classOf(this.text), this.text, sizer);
    }
}

/** What stands for all texts that differ in digits alone. */
function shapeOf(text) {
    return text.replace(/\d/g, "0");
}

/** How wide a text of this class is, in pixels. */
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
