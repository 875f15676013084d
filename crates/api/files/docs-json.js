/**
 * Lays out JSON as text, token by token: numbers and strings stay as they were written, since `JSON.parse` would round
 * large integers. The text may end anywhere. Pure.
 */

/** The width up to which an object or an array is on one line. */
const WIDTH = 64;

const INDENT = "  ";

const TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/gs;

const CLOSED_BY = { "{": "}", "[": "]" };

function kindOf(token) {
    if (token.startsWith('"')) return "string";
    return /^[-\d]/.test(token) ? "number" : "word";
}

/** Reads a value: a list of tokens, or `{ open, close, items }`. `length` is that of its text on one line. */
function read(tokens, at) {
    const token = tokens[at.index];
    at.index += 1;
    const close = CLOSED_BY[token];
    if (!close) return { token, length: token.length };
    const node = { open: token, close: "", items: [], length: 4 };
    while (at.index < tokens.length) {
        const next = tokens[at.index];
        if (next === close) {
            at.index += 1;
            node.close = close;
            break;
        }
        if (next === "," || next === ":") {
            at.index += 1;
            continue;
        }
        const key = tokens[at.index + 1] === ":" ? next : null;
        if (key !== null) at.index += 2;
        const value = at.index < tokens.length ? read(tokens, at) : { token: "", length: 0 };
        node.items.push({ key, value });
        node.length += value.length + 2 + (key === null ? 0 : key.length + 2);
    }
    return node;
}

function* flow(node, indent) {
    if (!node.open) {
        yield [kindOf(node.token), node.token];
        return;
    }
    if (node.items.length === 0) {
        yield ["mark", node.open + node.close];
        return;
    }
    const isFlat = node.length + indent.length <= WIDTH;
    const inner = isFlat ? indent : indent + INDENT;
    const gap = node.open === "{" ? " " : "";
    yield ["mark", node.open + (isFlat ? gap : `\n${inner}`)];
    for (const [index, { key, value }] of node.items.entries()) {
        if (index > 0) yield ["mark", isFlat ? ", " : `,\n${inner}`];
        if (key !== null) {
            yield ["key", key];
            yield ["mark", ": "];
        }
        yield* flow(value, inner);
    }
    if (node.close) yield ["mark", (isFlat ? gap : `\n${indent}`) + node.close];
}

/** Returns the parts of a laid out JSON text: `[kind, text]`; a kind is `key`, `string`, `number`, `word` or `mark`. */
export function pretty(text) {
    const tokens = text.match(TOKEN) ?? [];
    const at = { index: 0 };
    const parts = [];
    while (at.index < tokens.length) {
        if (parts.length > 0) parts.push(["mark", "\n"]);
        parts.push(...flow(read(tokens, at), ""));
    }
    return parts;
}

/** Returns the text of parts. */
export function textOf(parts) {
    return parts.map(([, text]) => text).join("");
}
