/** Reads metrics, as OpenMetrics. Pure. */

const SAMPLE = /^(\w+)(?:\{((?:\w+="(?:[^"\\]|\\.)*",?)*)\})? (\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** The samples of one moment. */
export class Metrics {
    #samples = new Map();

    /** `at` is the time of the reading in milliseconds. */
    constructor(text, at) {
        this.at = at;
        for (const line of text.split("\n")) {
            const [, name, labels = "", value] = SAMPLE.exec(line) ?? [];
            if (name === undefined) continue;
            const pairs = [...labels.matchAll(LABEL)].map(([, key, text]) => [key, text]);
            if (!this.#samples.has(name)) this.#samples.set(name, []);
            this.#samples.get(name).push({ value: Number(value), labels: Object.fromEntries(pairs) });
        }
    }

    /** Returns the samples of a metric that have these labels. */
    of(name, labels = {}) {
        const isMeant = (sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value);
        return (this.#samples.get(name) ?? []).filter(isMeant);
    }

    /** Returns the sum of a metric, or null if the server does not have it. */
    sum(name, labels) {
        if (!this.#samples.has(name)) return null;
        return this.of(name, labels).reduce((sum, { value }) => sum + value, 0);
    }

    /** Returns how much a counter has grown a second since another reading; null if it began anew, or there is none. */
    rate(name, before, labels) {
        const [now, then] = [this.sum(name, labels), before?.sum(name, labels) ?? null];
        if (now === null || then === null || now < then || this.at <= before.at) return null;
        return (now - then) / ((this.at - before.at) / 1000);
    }
}
