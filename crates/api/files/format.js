/** Formatting of times and names. Pure functions. Numbers are in `numbers.js`, windows in `windows.js`. */

import { locale } from "./language.js";
import { number, signed } from "./numbers.js";
import { hasWord, word } from "./words.js";

const dates = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" });
const clocks = new Intl.DateTimeFormat(locale, { timeStyle: "medium" });
const moments = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });
const ages = new Intl.RelativeTimeFormat(locale, { style: "narrow" });
const spans = Object.fromEntries(["day", "hour", "minute"].map((unit) =>
    [unit, new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "narrow" })]));
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The number of avatar colours in `page.css`. */
const HUES = 12;

/** Formats a time in the past, in one unit. */
export function age(at, now) {
    const seconds = Math.floor((now - at) / 1000);
    if (seconds < 5) return word("just.now");
    if (seconds < 60) return ages.format(-seconds, "second");
    if (seconds < 3600) return ages.format(-Math.floor(seconds / 60), "minute");
    if (seconds < 86400) return ages.format(-Math.floor(seconds / 3600), "hour");
    if (seconds < 30 * 86400) return ages.format(-Math.floor(seconds / 86400), "day");
    return dates.format(at);
}

/** Formats the time until a moment: `2d 4h`, `3h 12m`, `4:05`. */
export function until(at, now) {
    const seconds = Math.max(0, Math.ceil((at - now) / 1000));
    const [d, h, m, s] = [
        Math.floor(seconds / 86400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60,
    ];
    if (d > 0) return `${spans.day.format(d)} ${spans.hour.format(h)}`;
    if (h > 0) return `${spans.hour.format(h)} ${spans.minute.format(m)}`;
    return `${m}:${String(s).padStart(2, "0")}`;
}

/** Formats a moment as a local clock time. */
export function clock(at) {
    return clocks.format(at);
}

/** Formats a moment as a local date and time. */
export function moment(at) {
    return moments.format(at);
}

/** Returns a field's column heading: `last_reply` is `Last reply`. Only the default field has a translation. */
export function fieldLabel({ name }) {
    if (hasWord(`field.${name}`)) return word(`field.${name}`);
    const words = name.replaceAll("_", " ");
    return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Formats an amount of a field. Other fields than the default one have no plural forms: `1 (laps)`. */
export function amount(value, field) {
    if (value !== null && hasWord(`amount.${field.name}`)) return word(`amount.${field.name}`, { count: value });
    return word("amount", { amount: number(value), field: fieldLabel(field).toLocaleLowerCase(locale) });
}

/** Formats a difference; it names the field if the kind has several. */
export function difference(value, isMore, field, fields) {
    const text = signed(value, isMore);
    return fields.length > 1 ? word("gap.field", { field: fieldLabel(field), amount: text }) : text;
}

/** What is between words: all but letters, digits and emoji, with the marks and joiners that belong to them. */
const BETWEEN = /[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u200c\u200d]+/u;

/** Returns the initials of a name: the first characters of its first two words. */
export function initials(name) {
    const words = name.split(BETWEEN).filter((part) => part !== "");
    const first = (part) => graphemes.segment(part)[Symbol.iterator]().next().value?.segment ?? "";
    const signs = (words.length > 0 ? words : [name]).slice(0, 2).map(first);
    // An emoji is used alone.
    const shown = /\p{Extended_Pictographic}/u.test(signs[0]) ? [signs[0]] : signs;
    return shown.join("").toLocaleUpperCase(locale);
}

/** Returns the index of a name's colour (FNV-1a over its UTF-16). */
export function hue(name) {
    let hash = 0x811c9dc5;
    for (let at = 0; at < name.length; at += 1) {
        hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
    }
    return (hash >>> 8) % HUES;
}
