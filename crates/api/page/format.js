/** Formatting of numbers, times and names. Pure functions. */

const numbers = new Intl.NumberFormat("en-US");
const percents = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
const dates = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const clocks = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The number of avatar colours in `page.css`. */
const HUES = 12;

/** Formats a whole number with separators, and null as a dash. Exact to 2^53, and beyond as a BigInt. */
export function number(value) {
    return value === null || value === undefined ? "–" : numbers.format(value).replace("-", "−");
}

/** Returns the distance of two values as a BigInt: the ends of the range are 2^54 apart. */
export function distance(a, b) {
    const apart = BigInt(a) - BigInt(b);
    return apart < 0n ? -apart : apart;
}

/** Formats a percentage, rounded down: only the first member has 100. */
export function percent(value) {
    return percents.format(Math.floor(value * 100) / 100);
}

/** Formats a time in the past, in one unit. */
export function age(at, now) {
    const seconds = Math.floor((now - at) / 1000);
    if (seconds < 5) return "just now";
    if (seconds < 60) return `${seconds} s ago`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
    if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ago`;
    if (seconds < 30 * 86400) return `${Math.floor(seconds / 86400)} d ago`;
    return dates.format(at);
}

/** Formats the time until a moment: `2 d 4 h`, `3 h 12 min`, `4:05`. */
export function until(at, now) {
    const seconds = Math.max(0, Math.ceil((at - now) / 1000));
    const [d, h, m, s] = [
        Math.floor(seconds / 86400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60,
    ];
    if (d > 0) return `${d} d ${h} h`;
    if (h > 0) return `${h} h ${m} min`;
    return `${m}:${String(s).padStart(2, "0")}`;
}

/** Formats a moment as a local clock time. */
export function clock(at) {
    return clocks.format(at);
}

/** Formats a moment as a local date and time. */
export function moment(at) {
    return `${dates.format(at)}, ${clocks.format(at)}`;
}

/** Returns the label of a window: the contract's selector (`day`) or name (`day:2026-11-20`). */
export function windowLabel(selector) {
    if (selector === "previous") return "Previous window";
    const [, before] = /^(.+):previous$/.exec(selector) ?? [];
    if (before) return `Previous ${windowLabel(before).toLowerCase()}`;
    const current = {
        hour: "Hour", day: "Day", week: "Week", month: "Month", quarter: "Quarter", year: "Year",
        season: "Season", all: "All time",
    }[selector];
    return current ?? hours(selector) ?? weeks(selector) ?? windowName(selector);
}

/** Returns a window as part of a sentence. */
export function windowPhrase(selector) {
    if (/^(.+:)?previous$/.test(selector)) return `in the ${windowLabel(selector).toLowerCase()}`;
    const current = {
        hour: "this hour", day: "today", week: "this week", month: "this month", quarter: "this quarter",
        year: "this year", season: "this season", all: "at any time",
    }[selector];
    if (current) return current;
    const counted = hours(selector) ?? weeks(selector);
    if (counted) return `in these ${counted}`;
    const [, season] = /^season:(.+)$/.exec(selector) ?? [];
    return season ? `in season ${season}` : `in ${windowName(selector)}`;
}

/** Returns the label of a part of a day: `6h` is `6 hours`. Of other selectors nothing. */
function hours(selector) {
    const [, count] = /^(\d+)h$/.exec(selector) ?? [];
    return count && `${count} hours`;
}

/** Returns the label of several weeks: `2w` is `2 weeks`. Of other selectors nothing. */
function weeks(selector) {
    const [, count] = /^(\d+)w$/.exec(selector) ?? [];
    return count && `${count} weeks`;
}

/** Returns a field's column heading: `last_reply` is `Last reply`. */
export function fieldLabel({ name }) {
    const words = name.replaceAll("_", " ");
    return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the description of a resolved window: `day:2026-11-20` is `20 November 2026`. */
export function windowName(name) {
    if (name === "all") return "All time";
    const [period, text = ""] = [name.slice(0, name.indexOf(":")), name.slice(name.indexOf(":") + 1)];
    const [, year, month, day, hour, offset] = /^(\d{4})-(\d\d)(?:-(\d\d))?(?:T(\d\d)(.*))?$/.exec(text) ?? [];
    const written = (options) =>
        new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" })
            .format(Date.UTC(Number(year), Number(month) - 1, Number(day ?? 1)));
    const long = { day: "numeric", month: "long", year: "numeric" };
    if (period === "day" && day) return written({ weekday: "long", ...long });
    if (period === "month" && month) return written({ month: "long", year: "numeric" });
    if (period === "hour" && hour) {
        const zone = !offset || offset === "Z" || offset === "+00:00" ? "UTC" : `UTC${offset}`;
        return `${written(long)}, ${hour}:00 to ${hour}:59 ${zone}`;
    }
    if (hours(period) && hour) return `${written(long)}, ${hours(period)} from ${hour}${offset || ":00"}`;
    if (weeks(period) && day) return `${weeks(period)} from ${written(long)}`;
    if (period === "year") return text;
    if (period === "season") return `Season ${text}`;
    const [, quarterYear, quarter] = /^(\d{4})-Q(\d)$/.exec(text) ?? [];
    if (quarter) return `Quarter ${quarter} of ${quarterYear}`;
    const [, weekYear, week] = /^(\d{4})-W(\d\d)$/.exec(text) ?? [];
    return week ? `Week ${Number(week)} of ${weekYear}` : name;
}

/** Returns the initials of a name: the first characters of its first two words. */
export function initials(name) {
    const words = name.split(/[\s\-_.:/@]+/u).filter((word) => word !== "");
    const first = (word) => graphemes.segment(word)[Symbol.iterator]().next().value?.segment ?? "";
    const signs = (words.length > 0 ? words : [name]).slice(0, 2).map(first);
    // An emoji is used alone.
    const shown = /\p{Extended_Pictographic}/u.test(signs[0]) ? [signs[0]] : signs;
    return shown.join("").toLocaleUpperCase("en-US");
}

/** Returns the index of a name's colour (FNV-1a over its UTF-16). */
export function hue(name) {
    let hash = 0x811c9dc5;
    for (let at = 0; at < name.length; at += 1) {
        hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
    }
    return (hash >>> 8) % HUES;
}
