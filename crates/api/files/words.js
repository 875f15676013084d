/**
 * The words of a page, in its language. `words-en.js` and the others have the same keys and placeholders. A page may
 * have words of its own beside them: `data-words="admin"` are those of `words-admin-en.js` and the others.
 */

import { language, locale } from "./language.js";
import { number } from "./numbers.js";

const { words: own } = document.documentElement.dataset;
const files = [`./words-${language}.js`, ...(own === undefined ? [] : [`./words-${own}-${language}.js`])];
const WORDS = Object.assign({}, ...(await Promise.all(files.map((file) => import(file)))).map((it) => it.WORDS));

const plurals = new Intl.PluralRules(locale);

/** Returns the text of a key: with plural forms, the one for `count`. */
function template(key, { count }) {
    const found = WORDS[key];
    if (found === undefined) throw new Error(`there are no words for ${key}`);
    return typeof found === "string" ? found : found[plurals.select(Number(count))];
}

/** Returns a text whose placeholders, such as `{name}`, are replaced; `{count}` is formatted as a number. */
export function word(key, values = {}) {
    return phrase(key, values).join("");
}

/** Returns the same in pieces: texts, and the nodes among the values. */
export function phrase(key, values) {
    const pieces = template(key, values).split(/\{(\w+)\}/);
    return pieces.map((piece, at) => {
        if (at % 2 === 0) return piece;
        if (piece === "count") return number(values.count);
        if (values[piece] === undefined) throw new Error(`${key} has no value for ${piece}`);
        return values[piece];
    });
}

/** Whether there are words for a key. */
export function hasWord(key) {
    return Object.hasOwn(WORDS, key);
}

/** The attributes that may have words: `data-word-placeholder="board.hint"`. */
const ATTRIBUTES = ["placeholder", "aria-label", "title"];

/** Fills the words into the page's elements with `data-word`, and sets the language of the document. */
export function label() {
    document.documentElement.lang = WORDS.tag;
    for (const target of document.querySelectorAll("[data-word]")) target.textContent = word(target.dataset.word);
    for (const name of ATTRIBUTES) {
        for (const target of document.querySelectorAll(`[data-word-${name}]`)) {
            target.setAttribute(name, word(target.getAttribute(`data-word-${name}`)));
        }
    }
}
