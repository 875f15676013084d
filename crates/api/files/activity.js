/** What just came in: a feed of the events of a source (`gains.js`), newest first, and the points per minute. */

import { byId, element, foreign, mayMove, setText } from "./dom.js";
import { age, difference, fieldLabel } from "./format.js";
import { Gains } from "./gains.js";
import { number } from "./numbers.js";
import { avatar, dress, nameOf } from "./row.js";
import { word } from "./words.js";

/** Maximum number of events that are shown, and of those that are added at once: the largest gains. */
const SHOWN_MAX = 12;
const ADDED_MAX = 4;

/** Gains of a member within this time are one event, so that the feed can be read. */
const BATCH_MS = 2000;

/** The span of the points per minute, and the minimum that must have been seen of it. */
const RATE_MS = 60_000;
const RATE_MS_MIN = 10_000;

const ENTER = { duration: 320, easing: "ease-out" };

export class Activity {
    #kind = null;
    #source = null;
    /** Events that are not shown yet, by member; and the time at which they will be. */
    #batch = new Map();
    #dueAt = 0;
    /** The gains of the last minute, each `[time, amount]`. */
    #amounts = [];
    #begunAt = null;
    #isOver = false;
    /** The shown events: element, time, time element, member. */
    #shown = [];

    /** Begins another board or window. */
    begin(kind) {
        this.#kind = kind;
        this.#source = new Gains(kind.fields);
        this.#batch.clear();
        this.#amounts = [];
        this.#begunAt = null;
        this.#shown = [];
        byId("news").replaceChildren();
        byId("activity").hidden = true;
        setText(byId("rate").lastElementChild, word("activity.rate", { field: fieldLabel(kind.fields[0]) }));
    }

    /** Notes a frame, of a window that is over or not. */
    show(frame, now, isOver) {
        byId("activity").hidden = frame.members === 0;
        if (this.#begunAt === null || this.#source.isOther(frame)) this.#begunAt = now;
        for (const event of this.#source.events(frame)) this.#note(event, now);
        setText(byId("no-news"), word(isOver ? "activity.quiet" : "activity.none"));
        this.#isOver = isOver || frame.stale === true;
        this.tick(now);
    }

    /** Updates relative times, and shows the events that are due. */
    tick(now) {
        if (this.#kind === null) return;
        if (this.#batch.size > 0 && now >= this.#dueAt) this.#flush(now);
        for (const { at, time } of this.#shown) setText(time, age(at, now));
        byId("no-news").hidden = this.#shown.length + this.#batch.size > 0;
        this.#showRate(now);
    }

    /** Whether gains can be added up: in other kinds a change is another value, not a part of a sum. */
    #hasRate() {
        const [field] = this.#kind.fields;
        return this.#kind.mode === "accumulate" && (field.op ?? "sum") === "sum";
    }

    #note(event, now) {
        const { member } = event.entry;
        if (event.what === "gone") {
            this.#forget(member);
            return;
        }
        if (event.by && event.field === this.#kind.fields[0]) this.#amounts.push([now, event.isMore ? event.by : -event.by]);
        const before = this.#batch.get(member);
        if (this.#batch.size === 0) this.#dueAt = now + BATCH_MS;
        // Of what happened to a member within the time the last is shown, and gains are added up.
        const isSum = before?.what === "gained" && event.what === "gained" && before.field === event.field && before.by && event.by;
        this.#batch.set(member, isSum ? added(before, event) : event);
    }

    #forget(member) {
        this.#batch.delete(member);
        for (const shown of this.#shown) if (shown.member === member) shown.made.remove();
        this.#shown = this.#shown.filter((shown) => shown.member !== member);
    }

    #flush(now) {
        const largest = (a, b) => rankOf(a) - rankOf(b) || ((b.by ?? 0n) > (a.by ?? 0n) ? 1 : -1);
        const added = [...this.#batch.values()].sort(largest).slice(0, ADDED_MAX);
        this.#batch.clear();
        for (const event of added.reverse()) this.#add(event, now);
        for (const { made } of this.#shown.splice(SHOWN_MAX)) made.remove();
    }

    #add(event, now) {
        const { entry, what } = event;
        const time = element("time", {}, age(now, now));
        const worn = avatar(entry.member);
        dress(worn, entry);
        const name = element("b", { title: entry.member }, foreign(nameOf(entry)));
        const made = element("li", { "data-what": what, "data-way": event.isMore === false ? "down" : "up" },
            worn, name, element("span", { class: "what" }, this.#text(event)), time);
        byId("news").prepend(made);
        this.#shown.unshift({ made, at: now, time, member: entry.member });
        if (mayMove()) made.animate([{ opacity: 0, transform: "translateY(-.75rem)" }, {}], ENTER);
    }

    #text({ what, entry, by, isMore, field }) {
        if (what === "entered") return word("activity.entered", { rank: word("place", { count: entry.rank }) });
        return by === null ? "–" : difference(by, isMore, field, this.#kind.fields);
    }

    #showRate(now) {
        this.#amounts = this.#amounts.filter(([at]) => at > now - RATE_MS);
        const seen = Math.min(RATE_MS, now - this.#begunAt);
        const sum = this.#amounts.reduce((total, [, each]) => total + each, 0n);
        const perMinute = sum * BigInt(RATE_MS) / BigInt(Math.max(1, Math.round(seen)));
        setText(byId("rate").firstElementChild, number(perMinute));
        byId("rate").hidden = this.#isOver || !this.#hasRate() || seen < RATE_MS_MIN;
    }
}

/** Entries come before gains. */
function rankOf({ what }) {
    return what === "gained" ? 1 : 0;
}

function added(before, event) {
    const sign = ({ by, isMore }) => (isMore ? by : -by);
    const sum = sign(before) + sign(event);
    return { ...event, by: sum < 0n ? -sum : sum, isMore: sum >= 0n };
}
