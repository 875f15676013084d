/**
 * A member's rank over the last hour, as a line: what this tab has seen of it. The samples are kept with the tab, for
 * each board, window and member.
 */

import { drawn, element, setText } from "./dom.js";
import { age } from "./format.js";
import { number } from "./numbers.js";
import { word } from "./words.js";

const SPAN_MS = 3_600_000;

/** Minimum time between two samples: so an hour has at most 360. */
const STEP_MS = 10_000;

/** Maximum number of members whose samples are kept. */
const TRAILS_MAX = 20;

const PREFIX = "megaboard-trail:";

/** The drawing, in units of its view box. */
const [WIDTH, HEIGHT, MARGIN] = [320, 56, 5];

export class Trail {
    #into;
    /** The samples if the browser's storage is not available. */
    #kept = { key: "", samples: [] };
    #line = drawn("path", { class: "line" });
    #area = drawn("path", { class: "area" });
    #dot = drawn("circle", { class: "dot", r: 4 });
    #from = element("span");
    #ranks = element("span", { class: "ranks" });
    #drawing;

    /** The line is shown in an element. */
    constructor(into) {
        this.#into = into;
        this.#drawing = drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" }, this.#area, this.#line, this.#dot);
        into.replaceChildren(
            element("p", { class: "trail-head" }, element("span", {}, word("trail")), this.#ranks),
            this.#drawing,
            element("p", { class: "trail-axis", "aria-hidden": "true" }, this.#from, element("span", {}, word("trail.now"))));
    }

    /** Notes a rank, and shows the line once there are two samples. */
    show(board, window, member, rank, now) {
        const key = `${PREFIX}${board}?${window}&${member}`;
        const samples = noted(this.#read(key), rank, now);
        this.#write(key, samples);
        const points = [...samples, [now, rank]];
        const [[since]] = points;
        this.#into.hidden = now - since < STEP_MS;
        if (this.#into.hidden) return;
        const best = Math.min(...points.map(([, each]) => each));
        this.#draw(points, since, now);
        setText(this.#from, age(since, now));
        setText(this.#ranks, word("trail.best", { best: number(best), rank: number(rank) }));
        this.#drawing.setAttribute("aria-label",
            word("trail.said", { since: age(since, now), best: number(best), rank: number(rank) }));
    }

    /** Draws steps: a rank holds until the next sample. Better ranks are higher. */
    #draw(points, since, now) {
        const ranks = points.map(([, rank]) => rank);
        const [top, bottom] = [Math.min(...ranks), Math.max(...ranks)];
        const x = (at) => ((at - since) / (now - since) * (WIDTH - 2 * MARGIN) + MARGIN).toFixed(1);
        const y = (rank) => (bottom === top ? HEIGHT / 2 : (rank - top) / (bottom - top) * (HEIGHT - 2 * MARGIN) + MARGIN).toFixed(1);
        const [first, ...others] = points;
        const steps = others.map(([at, rank]) => `H${x(at)}V${y(rank)}`).join("");
        const line = `M${x(first[0])} ${y(first[1])}${steps}`;
        this.#line.setAttribute("d", line);
        this.#area.setAttribute("d", `${line}V${HEIGHT}H${MARGIN}Z`);
        this.#dot.setAttribute("cx", WIDTH - MARGIN);
        this.#dot.setAttribute("cy", y(ranks.at(-1)));
    }

    #read(key) {
        try {
            const stored = sessionStorage.getItem(key);
            if (stored !== null) return JSON.parse(stored);
        } catch {
            // Storage may be forbidden: then the samples are kept until another member is shown.
        }
        return this.#kept.key === key ? this.#kept.samples : [];
    }

    #write(key, samples) {
        this.#kept = { key, samples };
        try {
            const others = Object.keys(sessionStorage).filter((name) => name.startsWith(PREFIX) && name !== key);
            const newest = (name) => JSON.parse(sessionStorage.getItem(name)).at(-1)[0];
            if (others.length >= TRAILS_MAX) sessionStorage.removeItem(others.sort((a, b) => newest(a) - newest(b))[0]);
            sessionStorage.setItem(key, JSON.stringify(samples));
        } catch {
            // As above; or the storage is full.
        }
    }
}

/** Returns the samples of the last hour with another one, if the last is old enough. */
function noted(samples, rank, now) {
    const recent = samples.filter(([at]) => at > now - SPAN_MS);
    const last = recent.at(-1);
    if (last !== undefined && now - last[0] < STEP_MS) return recent;
    return [...recent, [now, rank]];
}
