/** Windows: selectors such as `day` and `day:previous`, names such as `day:2026-11-20`, and their words. Pure functions. */

import { locale } from "./language.js";
import { hasWord, word } from "./words.js";

const HOUR_MS = 3_600_000;

/** The hours of the periods that have words of their own; a season is of any length. */
const HOURS = { hour: 1, day: 24, week: 168, month: 730, quarter: 2190, year: 8760, season: 8761, all: Infinity };

/** Returns the period of a selector or a name; of `previous` it is the first one of the kind. */
export function periodOf(window, kind) {
    return window === "previous" ? kind.windows[0] : window.split(":", 1)[0];
}

/** Whether a window is one of the calendar that a selector such as `day` names at this moment. */
export function isLive(window) {
    return !window.includes(":") && window !== "previous";
}

/** Returns periods, the shortest first. */
export function byLength(periods) {
    const hours = (period) => HOURS[period] ?? Number.parseInt(period, 10) * (period.endsWith("w") ? HOURS.week : 1);
    return [...periods].sort((a, b) => hours(a) - hours(b));
}

/** Returns the label of a window: a selector (`day`) or a name (`day:2026-11-20`). */
export function windowLabel(window) {
    if (window === "previous") return word("window.previous");
    const [, before] = /^(.+):previous$/.exec(window) ?? [];
    if (before) return word("window.previous.of", { window: windowLabel(before) });
    if (hasWord(`window.${window}`)) return word(`window.${window}`);
    return counted(window) ?? windowName(window);
}

/** Returns a window as part of a sentence. */
export function windowPhrase(window) {
    if (hasWord(`in.${window}`)) return word(`in.${window}`);
    return word("in.named", { window: windowLabel(window) });
}

/** Returns the label of a part of a day or of several weeks: `6h` is `6 hours`. Of other selectors nothing. */
function counted(selector) {
    const [, count, unit] = /^(\d+)([hw])$/.exec(selector) ?? [];
    return count && word(unit === "h" ? "window.hours" : "window.weeks", { count });
}

/** Formats a time without its zone. */
function written(at, options) {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" }).format(at);
}

/** Returns the description of a resolved window: `day:2026-11-20` is `Friday, November 20, 2026`. */
export function windowName(name) {
    if (name === "all") return word("window.all");
    const [period, text = ""] = [name.slice(0, name.indexOf(":")), name.slice(name.indexOf(":") + 1)];
    const [, year, month, day, hour, minute, offset] =
        /^(\d{4})-(\d\d)(?:-(\d\d))?(?:T(\d\d)(?::(\d\d))?(.*))?$/.exec(text) ?? [];
    const at = Date.UTC(Number(year), Number(month) - 1, Number(day ?? 1), Number(hour ?? 0), Number(minute ?? 0));
    if (period === "day" && day) return written(at, { dateStyle: "full" });
    if (period === "month" && month) return written(at, { month: "long", year: "numeric" });
    if (period === "hour" && hour) return word("name.hour", { time: hourOf(at), zone: zoneOf(offset) });
    if (period.endsWith("h") && hour) {
        const time = written(at, { dateStyle: "long", timeStyle: "short" });
        return word("name.hours", { window: counted(period), time });
    }
    if (period.endsWith("w") && day) return word("name.weeks", { window: counted(period), date: written(at, { dateStyle: "long" }) });
    if (period === "year") return text;
    if (period === "season") return word("name.season", { name: text });
    const [, quarterYear, quarter] = /^(\d{4})-Q(\d)$/.exec(text) ?? [];
    if (quarter) return word("name.quarter", { quarter, year: quarterYear });
    const [, weekYear, week] = /^(\d{4})-W(\d\d)$/.exec(text) ?? [];
    return week ? word("name.week", { week: Number(week), year: weekYear }) : name;
}

/** Formats an hour from its first to its last minute. */
function hourOf(at) {
    const times = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
    return times.formatRange(at, at + HOUR_MS - 60_000);
}

function zoneOf(offset) {
    return !offset || offset === "Z" || offset === "+00:00" ? "UTC" : `UTC${offset}`;
}
