/** The parameters of an overlay's URL, each validated: a value never becomes CSS or markup. */

import { LANGUAGES } from "./language.js";

const COLOUR = /^#?(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;

/** Returns a parser of one of these texts. */
function oneOf(...texts) {
    return { accepted: texts.join(", "), parse: (text) => (texts.includes(text) ? text : null) };
}

/** Returns the ids of two members. One with a comma cannot be named. */
function sidesIn(text) {
    const sides = text.split(",");
    return sides.length === 2 && sides[0] !== sides[1] && !sides.includes("") ? sides : null;
}

const colour = { accepted: "#rrggbb", parse: (text) => (COLOUR.test(text) ? `#${text.replace("#", "")}` : null) };

/** The parameters: what is accepted, and a parser, which returns null for other values. */
const PARAMS = {
    n: { accepted: "1 – 10", parse: (text) => (/^([1-9]|10)$/.test(text) ? Number(text) : null) },
    window: { accepted: "hour, day, week, …", parse: (text) => (text === "" ? null : text) },
    scale: { accepted: "0.5 – 4", parse: (text) => (/^\d(\.\d{1,2})?$/.test(text) && text >= 0.5 && text <= 4 ? Number(text) : null) },
    title: { accepted: "1 – 64", parse: (text) => ([...text].length >= 1 && [...text].length <= 64 ? text : null) },
    theme: oneOf("dark", "light"),
    lang: oneOf(...Object.keys(LANGUAGES)),
    battle: oneOf("1"),
    sides: { accepted: "LEFT,RIGHT", parse: sidesIn },
    token: { accepted: "mbs_…", parse: (text) => (/^[\w.-]{1,1024}$/.test(text) ? text : null) },
    ink: colour, row: colour, accent: colour, left: colour, right: colour,
};

/** The parameters that are colours. */
export const COLOURS = Object.keys(PARAMS).filter((name) => PARAMS[name] === colour);

/** A parameter of a URL has another value than the accepted ones, or, if its value is null, another name. */
export class Wrong extends Error {
    constructor(name, value, accepted) {
        super(`${name}: ${value}`);
        Object.assign(this, { param: name, value, accepted });
    }
}

/** Parses the path and the query of an overlay's URL; parameters that are left out are null. */
export function parse({ pathname, search }) {
    const [kind, subject] = pathname.split("/").slice(-2).map(decodeURIComponent);
    const params = Object.fromEntries(Object.keys(PARAMS).map((name) => [name, null]));
    for (const [name, text] of new URLSearchParams(search)) {
        if (!Object.hasOwn(PARAMS, name)) throw new Wrong(name, null, Object.keys(PARAMS).join(", "));
        params[name] = PARAMS[name].parse(text);
        if (params[name] === null) throw new Wrong(name, text, PARAMS[name].accepted);
    }
    if (params.sides !== null && params.battle === null) throw new Wrong("sides", params.sides.join(), "battle=1");
    return { kind, subject, ...params };
}
