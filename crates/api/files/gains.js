/**
 * A source of events for the feed (`activity.js`): the differences between the frames of a board. So it knows the shown
 * ranks alone. Another source has the same two methods.
 */

import { apart } from "./row.js";

export class Gains {
    #fields;
    #frame = null;

    constructor(fields) {
        this.#fields = fields;
    }

    /** Whether a frame is of another window than the previous one: then the two have no difference. */
    isOther(frame) {
        return this.#frame?.window !== frame.window;
    }

    /**
     * Returns what has happened since the previous frame: `{what, entry}`, where `what` is `gained`, `entered` or
     * `gone`. A member that is gone may have been hidden or erased: nothing of it is to be shown any more. If a member
     * has gained, `field` is the first that differs, and `by` how much (null if a value was missing).
     */
    events(frame) {
        const before = this.isOther(frame) ? null : this.#frame;
        this.#frame = frame;
        if (before === null || before === frame) return [];
        const known = new Map(before.entries.map((entry) => [entry.member, entry]));
        const events = [];
        for (const entry of frame.entries) {
            const was = known.get(entry.member);
            known.delete(entry.member);
            if (was === undefined) events.push({ what: "entered", entry });
            else this.#gain(entry, was, events);
        }
        for (const entry of known.values()) events.push({ what: "gone", entry });
        return events;
    }

    #gain(entry, was, events) {
        const gap = apart(entry, was, this.#fields);
        if (gap !== null) events.push({ what: "gained", entry, ...gap });
    }
}
