/** Whether the server is ready, and what it does: from `/readyz` and two readings of `/metrics`. */

import * as admin from "./admin-api.js";
import { Metrics } from "./admin-metrics.js";
import { badge, panel, rate, reason, sparkline, table } from "./admin-parts.js";
import { element, renew } from "./dom.js";
import { moment } from "./format.js";
import { locale } from "./language.js";
import { number, percent } from "./numbers.js";
import { word } from "./words.js";

/** The pause between two readings. */
const READ_MS = 3000;

/** The readings that the lines show, three minutes, and those for which they have room at first. */
const READINGS_MAX = 60;
const READINGS_MIN = 10;

const bytes = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"].map((unit) =>
    new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits: 1 }));

/** Formats an amount of memory, in powers of 1,000. */
function size(value) {
    const power = value < 1 ? 0 : Math.min(bytes.length - 1, Math.floor(Math.log10(value) / 3));
    return bytes[power].format(value / 1000 ** power);
}

function tile(label, value, ...notes) {
    return element("div", { class: "tile" }, element("h2", {}, label), element("p", { class: "figure" }, value),
        ...notes.map((note) => (typeof note === "string" ? element("p", { class: "note" }, note) : note)));
}

function meter(label, part) {
    const made = element("div", {
        class: "meter", role: "meter", "aria-label": label, "data-state": part >= 0.9 ? "warn" : null,
        "aria-valuemin": "0", "aria-valuemax": "100", "aria-valuenow": Math.round(part * 100),
    });
    made.style.setProperty("--part", String(Math.min(1, part)));
    return made;
}

function memory(metrics) {
    const [used, limit] = [metrics.sum("process_resident_memory_bytes"), metrics.sum("megaboard_memory_limit_bytes")];
    if (used === null) return null;
    if (!limit) return tile(word("admin.memory"), size(used), word("admin.memory.unlimited"));
    return tile(word("admin.memory"), size(used), meter(word("admin.memory"), used / limit),
        word("admin.memory.of", { limit: size(limit), percent: percent(Math.min(100, used / limit * 100)) }));
}

function started(metrics) {
    const at = metrics.sum("process_start_time_seconds");
    if (at === null) return null;
    return tile(word("admin.up"), lasted(metrics.at - at * 1000), word("admin.up.since", { time: moment(at * 1000) }));
}

/** Formats a duration in its two largest units. */
function lasted(ms) {
    const units = { day: 86_400, hour: 3600, minute: 60, second: 1 };
    const all = Object.entries(units).reduce(([parts, left], [unit, seconds]) =>
        [[...parts, [unit, Math.floor(left / seconds)]], left % seconds], [[], Math.max(0, ms / 1000)])[0];
    const first = Math.max(0, all.findIndex(([, count]) => count > 0));
    const shown = all.slice(first, first + 2).filter(([, count]) => count > 0);
    const format = ([unit, count]) => new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short" }).format(count);
    return (shown.length > 0 ? shown : [all.at(-1)]).map(format).join(" ");
}

/** The rates that are shown with their line: label, metric and labels. */
const RATES = [
    ["admin.requests", "megaboard_http_requests_total", {}],
    ["admin.contributions", "megaboard_contributions_total", { outcome: "applied" }],
];

/** Counts of the moment: label, metric. Those that the server does not have are left out. */
const COUNTS = [
    ["admin.streams", "megaboard_streams"], ["admin.connections", "megaboard_connections"],
    ["admin.boards.held", "megaboard_store_boards"], ["admin.standings", "megaboard_store_standings"],
];

/** What needs attention: label, and whether it holds. */
const WARNINGS = [
    ["admin.warn.memory", (metrics) => metrics.sum("megaboard_memory_full") === 1],
    ["admin.warn.journal", (metrics) => metrics.sum("megaboard_journal_refusing") === 1],
    ["admin.warn.redis", (metrics) => metrics.of("megaboard_redis_up").some(({ value }) => value === 0)],
    ["admin.warn.publish", (metrics) => metrics.of("megaboard_publish_up").some(({ value }) => value === 0)],
];

function status(store, problem) {
    if (problem === null) return tile(word("admin.status"), badge(word("admin.ready"), "good"), word("admin.store", { store }));
    const why = element("p", { class: "note" }, reason(problem));
    return tile(word("admin.status"), badge(word("admin.ready.not"), "bad"), why);
}

function problems(metrics) {
    const found = metrics.of("megaboard_http_problems_total").filter(({ value }) => value > 0);
    found.sort((a, b) => b.value - a.value);
    const heads = [word("admin.problem"), word("admin.problem.count")];
    if (found.length === 0) return element("p", { class: "none" }, word("admin.problems.none"));
    const rows = found.map(({ labels, value }) => [element("code", {}, labels.type), number(value)]);
    return table(word("admin.problems"), heads, rows);
}

/** Shows the server. */
export async function overview(page) {
    page.begin(word("admin.overview"), { about: word("admin.overview.about") });
    const [warnings, tiles, refused] = ["warnings", "tiles", "refused"].map((name) => element("div", { class: name }));
    page.add(warnings, tiles, panel(word("admin.problems"), [], refused));
    const past = RATES.map(() => []);
    let before = null;

    async function read() {
        let store = null;
        let problem = null;
        await admin.ready().then((name) => { store = name; }, (error) => { problem = error; });
        const state = status(store, problem);
        let metrics;
        try {
            metrics = new Metrics(await admin.metrics(), Date.now());
        } catch (error) {
            // What the last reading warned of is no longer known.
            renew(warnings);
            renew(tiles, state);
            renew(refused, page.trouble(error));
            return;
        }
        const [info] = metrics.of("megaboard_build_info");
        const rates = RATES.map(([label, name, labels], at) => {
            const now = metrics.rate(name, before, labels);
            if (now !== null) past[at] = [...past[at], now].slice(-READINGS_MAX);
            const line = past[at].length > 1 ? sparkline(past[at], READINGS_MIN) : word("admin.measuring");
            return tile(word(label), now === null ? "–" : rate(now), line);
        });
        const counts = COUNTS.map(([label, name]) => [label, metrics.sum(name)]).filter(([, value]) => value !== null);
        renew(tiles, ...[
            state, tile(word("admin.version"), info?.labels.version ?? "–"), started(metrics), memory(metrics), ...rates,
            ...counts.map(([label, value]) => tile(word(label), number(value))),
        ].filter((it) => it !== null));
        const held = WARNINGS.filter(([, holds]) => holds(metrics));
        renew(warnings, ...held.map(([label]) => element("p", { class: "trouble" }, word(label))));
        renew(refused, problems(metrics));
        before = metrics;
    }
    await read();
    page.every(READ_MS, read);
}
