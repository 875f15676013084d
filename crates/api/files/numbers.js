/** Formatting of numbers. Pure functions. */

import { locale } from "./language.js";

const numbers = new Intl.NumberFormat(locale);
const compact = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 });
const percents = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 2 });

/** Numbers of more digits are long. */
const DIGITS_MAX = 10;

/** Formats a whole number with separators, and null as a dash. Exact to 2^53, and beyond as a BigInt. */
export function number(value) {
    return value === null || value === undefined ? "–" : numbers.format(value).replace("-", "−");
}

/** Formats a whole number with separators, and a long one in short: `9007.2T`. */
export function short(value) {
    const isLong = value !== null && String(value).replace("-", "").length > DIGITS_MAX;
    return isLong ? compact.format(value).replace("-", "−") : number(value);
}

/** Formats a whole number with its sign. */
export function signed(value, isMore) {
    return `${isMore ? "+" : "−"}${number(value)}`;
}

/** Returns the distance of two values as a BigInt: the ends of the range are 2^54 apart. */
export function distance(a, b) {
    const apart = BigInt(a) - BigInt(b);
    return apart < 0n ? -apart : apart;
}

/** Formats a percentage, rounded down: only the first member has 100. */
export function percent(value) {
    return percents.format(Math.floor(value * 100) / 10_000);
}
