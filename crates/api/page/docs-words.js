/** Descriptions: paragraphs with `code` and **strong** words, as the document has them, and no more of Markdown. */

import { element } from "./dom.js";

const MARKED = /`([^`]+)`|\*\*([^*]+)\*\*/g;

function* parts(text) {
    let at = 0;
    for (const found of text.matchAll(MARKED)) {
        yield text.slice(at, found.index);
        yield found[1] === undefined ? element("strong", {}, found[2]) : element("code", {}, found[1]);
        at = found.index + found[0].length;
    }
    yield text.slice(at);
}

/** The paragraphs of a text; none of nothing. */
export function words(text) {
    const paragraphs = (text ?? "").split(/\n\s*\n/).filter((part) => part.trim());
    return paragraphs.map((part) => element("p", {}, ...parts(part.replace(/\s*\n\s*/g, " "))));
}
