/** The request that a filled form describes, as a URL, as headers, and as a shell command. Pure. */

import { pretty, textOf as layOut } from "./docs-json.js";

/** Returns the examples of a body, the shortest first: `[name, text]`. */
export function bodyExamples({ example, examples }) {
    const named = Object.entries(examples ?? {}).map(([name, { value }]) => [name, textOf(value)]);
    const single = example === undefined ? [] : [["example", textOf(example)]];
    return [...single, ...named].sort(([, a], [, b]) => a.length - b.length);
}

/** Returns an example as text. */
export function textOf(example) {
    return typeof example === "string" ? example : layOut(pretty(JSON.stringify(example)));
}

/** Returns the example of a parameter as text, or an empty one. */
export function exampleOf(parameter) {
    return String(parameter.example ?? parameter.schema.example ?? "");
}

/**
 * Returns an operation's form as it is at first: `{ values, media, body }`, with the examples of the document, except
 * for headers: these are conditions, which an example does not meet.
 */
export function filled({ parameters, body }) {
    const first = (it) => it.in === "header" ? "" : exampleOf(it);
    const values = Object.fromEntries(parameters.map((it) => [it.name, first(it)]));
    const [media = null, content] = Object.entries(body?.content ?? {})[0] ?? [];
    return { values, media, body: media ? bodyExamples(content)[0]?.[1] ?? "" : null };
}

/** Values that a URL drops from its path: it would be that of another route. */
export const DROPPED = [".", ".."];

/** Returns the URL of a filled operation. Parameters of the query without a value are not sent. */
export function urlOf({ path, parameters }, { values }, base) {
    const encoded = path.replace(/\{(\w+)\}/g, (whole, name) =>
        DROPPED.includes(values[name]) ? whole : encodeURIComponent(values[name]));
    const sent = parameters.filter((it) => it.in === "query" && values[it.name] !== "");
    const query = sent.map(({ name }) => `${name}=${encodeURIComponent(values[name])}`);
    return new URL(`.${encoded}${query.length ? `?${query.join("&")}` : ""}`, base).href;
}

/** Returns the headers of a filled operation, except for the key: `[name, value]`. */
export function headersOf({ parameters }, { values, media }) {
    const sent = parameters.filter((it) => it.in === "header" && values[it.name] !== "");
    const headers = sent.map(({ name }) => [name.toLowerCase(), values[name]]);
    return media ? [["content-type", media], ...headers] : headers;
}

/** Returns the shell command for a filled operation. A key is that of the shell's variable `KEY`. */
export function curl(operation, form, base, hasKey) {
    const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
    const parts = [operation.isStream ? "curl -N" : "curl"];
    if (operation.method !== (form.media ? "post" : "get")) parts.push(`-X ${operation.method.toUpperCase()}`);
    parts.push(quoted(urlOf(operation, form, base)));
    const lines = [parts.join(" ")];
    if (hasKey && operation.scope) lines.push('-H "authorization: Bearer $KEY"');
    lines.push(...headersOf(operation, form).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`));
    if (form.media) lines.push(`--data-raw ${quoted(form.body)}`);
    return lines.join(" \\\n  ");
}
