/** One member's row, which is updated in place. Its position is handled in `rows.js`. */

import { element, foreign, mayMove, setText } from "./dom.js";
import { age, difference, fieldLabel, hue, initials, moment } from "./format.js";
import { distance, number, signed } from "./numbers.js";
import { word } from "./words.js";

const FLASH = { duration: 1100, easing: "ease-out" };
const GAIN = { duration: 1600, easing: "cubic-bezier(.2,.7,.3,1)" };

/** How long a row shows by how many positions it has moved. */
const MOVED_MS = 5000;

const SHARE_STEPS = 200;

/** The text for a gap to a missing value. */
const UNTOLD = "–";

const MEDALS = { 1: "gold", 2: "silver", 3: "bronze" };

/** Returns the value of a field in an entry: `points`, or one of `values`. */
export function valueOf(entry, field) {
    return entry.values ? entry.values[field.name] : entry[field.name];
}

/** Returns the first field in which two entries differ, and by how much; null if they are equal. */
export function apart(entry, other, fields) {
    const field = fields.find((each) => valueOf(entry, each) !== valueOf(other, each));
    if (field === undefined) return null;
    const [own, others] = [valueOf(entry, field), valueOf(other, field)];
    if (own === null || others === null) return { field, by: null, isMore: others === null };
    return { field, by: distance(own, others), isMore: own > others };
}

/** Formats the gap of an entry to the one above. */
export function gapText(entry, above, fields) {
    const gap = apart(entry, above, fields);
    if (gap === null) return word("gap.tied");
    if (gap.by === null) return UNTOLD;
    return difference(gap.by, gap.isMore, gap.field, fields);
}

/** Returns the value of an entry as a share of the leader's, if higher is better and both are positive; otherwise 0. */
export function shareOf(entry, leader, field) {
    const [own, most] = [valueOf(entry, field), valueOf(leader, field)];
    const hasShare = field.order !== "asc" && most > 0 && own > 0;
    // In steps, so that a small gain of the leader does not redraw a hundred bars invisibly.
    return hasShare ? Math.round(Math.min(1, own / most) * SHARE_STEPS) / SHARE_STEPS : 0;
}

/** Returns what a member is called: the name in its profile, or the member itself. */
export function nameOf({ member, profile }) {
    return profile?.name ?? member;
}

/** Creates a member's avatar: initials on a colour. */
export function avatar(member) {
    const made = element("span", { class: `avatar hue-${hue(member)}`, "aria-hidden": "true" });
    made.textContent = initials(member);
    return made;
}

/** Whether a page may load an image, the only ones of other hosts: over HTTPS, and without a login in its URL. */
function isLoadable(url) {
    if (url === undefined || !URL.canParse(url)) return false;
    const { protocol, username, password } = new URL(url);
    return protocol === "https:" && username === "" && password === "";
}

/** Shows the initials of an entry's name in its avatar, and over them the image in its profile, once that is loaded. */
export function dress(worn, entry) {
    worn.textContent = initials(nameOf(entry));
    const url = entry.profile?.avatar;
    if (!isLoadable(url)) return;
    const image = element("img", { alt: "", decoding: "async", referrerpolicy: "no-referrer" });
    image.addEventListener("error", () => image.remove());
    image.src = url;
    worn.append(image);
}

/** Whether a rank needs a smaller font. */
export function isLong(rank) {
    return rank.length > 3;
}

function cell(className, ...children) {
    return element("div", { role: "cell", class: className }, ...children);
}

export class Row {
    /** The index of the row, from 0; -1 before it has one. */
    index = -1;
    /** The running animation, and its initial offset. */
    motion = null;
    offset = 0;

    #fields;
    #entry = null;
    #gap = null;
    #share = null;

    #medal = element("span", { class: "medal" });
    #moved = element("span", { class: "moved", "aria-hidden": "true", hidden: "" });
    #movedTimer = 0;
    #time = element("time");
    #values;
    #gapText = element("span");
    #gapMeaning = element("span", { class: "unseen" });
    #gained = null;
    #avatar;
    #name;

    constructor(member, fields, onPick) {
        this.member = member;
        this.#fields = fields;
        this.#values = fields.map(() => element("span", { class: "number" }));
        this.#avatar = avatar(member);
        this.#name = element("button", { type: "button", class: "name" }, foreign(member));
        this.#name.title = member;
        this.#name.addEventListener("click", () => onPick(member));
        const labelled = fields.length > 1;
        this.element = element("div", { role: "row", class: "row" },
            cell("rank", this.#medal),
            cell("who", this.#avatar, this.#name, this.#moved),
            ...this.#values.map((value, at) => cell("value",
                labelled ? element("span", { class: "label", "aria-hidden": "true" }, fieldLabel(fields[at])) : null, value)),
            cell("gap", this.#gapText, this.#gapMeaning),
            cell("age", this.#time));
        this.element.dataset.member = member;
    }

    /** Shows an entry; `above` is the one before it, `leader` the first of the board. */
    show(entry, above, leader, now) {
        const before = this.#entry;
        this.#entry = entry;
        if (before?.rank !== entry.rank) this.#showRank(entry.rank);
        this.#fields.forEach((field, at) => this.#showValue(field, at, before));
        this.#showGap(above);
        this.#showShare(leader);
        this.#showProfile(before);
        if (before?.reached_at !== entry.reached_at) {
            this.#time.dateTime = entry.reached_at;
            this.#time.title = moment(Date.parse(entry.reached_at));
        }
        this.tick(now);
    }

    /** Shows these texts in a row that is only measured. */
    showTexts({ rank, values, gap, age: ago }) {
        this.#setRank(rank);
        this.#values.forEach((value, at) => setText(value, values[at]));
        setText(this.#gapText, gap);
        setText(this.#time, ago);
    }

    /** Updates the relative time. */
    tick(now) {
        setText(this.#time, age(Date.parse(this.#entry.reached_at), now));
    }

    /** Marks the selected member. */
    own(isOwn) {
        this.element.classList.toggle("own", isOwn);
    }

    /** Takes the focus. */
    focus() {
        this.element.querySelector("button").focus({ preventScroll: true });
    }

    /** Shows for a while by how many positions the row has moved; up is positive. */
    places(count) {
        if (count === 0 || !mayMove()) return;
        this.#moved.dataset.way = count > 0 ? "up" : "down";
        setText(this.#moved, number(Math.abs(count)));
        this.#moved.hidden = false;
        clearTimeout(this.#movedTimer);
        this.#movedTimer = setTimeout(() => { this.#moved.hidden = true; }, MOVED_MS);
    }

    #showRank(rank) {
        this.#setRank(number(rank));
        this.element.dataset.medal = MEDALS[rank] ?? "";
    }

    #setRank(text) {
        setText(this.#medal, text);
        this.#medal.classList.toggle("long", isLong(text));
    }

    #showProfile(before) {
        const part = (entry, name) => entry?.profile?.[name];
        const isSame = ["name", "avatar"].every((name) => part(before, name) === part(this.#entry, name));
        if (isSame) return;
        setText(this.#name.firstElementChild, nameOf(this.#entry));
        dress(this.#avatar, this.#entry);
    }

    #showValue(field, at, before) {
        const value = valueOf(this.#entry, field);
        const was = before === null ? value : valueOf(before, field);
        if (before !== null && was === value) return;
        const shown = this.#values[at];
        setText(shown, number(value));
        if (was === value || !mayMove()) return;
        shown.parentElement.animate([{ opacity: 0.9 }, { opacity: 0 }], { ...FLASH, pseudoElement: "::before" });
        if (at === 0 && was !== null && value !== null) this.#showGain(value, was);
    }

    /** Shows the difference beside the value for a moment. */
    #showGain(value, was) {
        this.#gained ??= this.#values[0].parentElement.appendChild(
            element("span", { class: "gained", "aria-hidden": "true" }));
        setText(this.#gained, signed(distance(value, was), value > was));
        this.#gained.getAnimations().forEach((running) => running.cancel());
        this.#gained.animate([
            { opacity: 0, transform: "translateY(.75rem)" },
            { opacity: 1, transform: "none", offset: 0.15 },
            { opacity: 1, transform: "none", offset: 0.75 },
            { opacity: 0, transform: "translateY(-.75rem)" },
        ], GAIN);
    }

    #showGap(above) {
        const leads = this.#entry.rank === 1 ? word("gap.leader") : "";
        const text = above ? gapText(this.#entry, above, this.#fields) : leads;
        if (this.#gap === text) return;
        this.#gap = text;
        setText(this.#gapText, text);
        const meaning = word(text === word("gap.tied") ? "gap.tied.with" : "gap.to");
        setText(this.#gapMeaning, above && text !== UNTOLD ? ` ${meaning}` : "");
    }

    /** Draws the value as a share of the leader's. */
    #showShare(leader) {
        const share = shareOf(this.#entry, leader, this.#fields[0]);
        if (this.#share === share) return;
        this.#share = share;
        this.element.style.setProperty("--share", share);
    }
}
