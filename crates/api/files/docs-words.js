/** Renders descriptions: paragraphs with `code` and **strong** text, the only Markdown that the document uses. */

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

/** Returns the paragraphs of a text; none if the text is missing or empty. */
export function words(text) {
    const paragraphs = (text ?? "").split(/\n\s*\n/).filter((part) => part.trim());
    return paragraphs.map((part) => element("p", {}, ...parts(part.replace(/\s*\n\s*/g, " "))));
}
