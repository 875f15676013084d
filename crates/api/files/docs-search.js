/** Finds operations by English words: an index of all operations, and the rank of each for a text. Pure. */

import { SYNONYMS } from "./docs-synonyms.js";

/** The maximum number of results. */
const RESULTS_MAX = 10;

/** Results with a smaller part of the best score are left out. */
const SCORE_MIN = 0.35;

/** The least number of letters of a word that may be misspelt, and of one with two faults. */
const [ONE_FAULT, TWO_FAULTS] = [4, 7];

/** Words that say nothing anywhere, also within a phrase. */
const ARTICLES = ["a", "an", "the"];

/** Words that say nothing about an operation. */
const STOPS = new Set([
    ...ARTICLES, "all", "and", "are", "be", "by", "can", "could", "do", "does", "for", "from", "get", "has", "have", "how",
    "i", "in", "is", "it", "its", "me", "my", "not", "of", "on", "one", "or", "our", "please", "should", "some", "that",
    "their", "there", "this", "to", "want", "was", "we", "what", "when", "where", "which", "who", "whose", "will",
    "with", "you", "your",
]);

/** The quality of a match: of the start of a word, and of each synonym less than of the one before. */
const [PREFIX, SYNONYM, LATER_SYNONYM] = [0.7, 0.9, 0.1];

/** What the lesser match adds if an operation has both a word and a synonym of it. */
const BOTH = 0.5;

/** Returns the words of a text, in lower case. */
export function wordsOf(text) {
    return text.toLowerCase().replaceAll(/['’]s\b/g, "").match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Returns a word without its English endings, so that forms of the same word are equal. */
export function stem(word) {
    let left = word;
    if (left.length > 4) left = left.replace(/ies$/, "y");
    if (left.length > 3) left = left.replace(/(?<!s)s$/, "");
    if (left.length > 4) left = left.replace(/(?:ing|ed)$/, "");
    if (left.length > 3) left = left.replace(/e$/, "");
    return left.replace(/([bdgmnprt])\1$/, "$1");
}

/** Returns 1 if what was found deletes: of equals, it is the last. */
function deletes({ operation }) {
    return operation.method === "delete" ? 1 : 0;
}

/** Returns the words of a text without articles. */
function withoutArticles(text) {
    return wordsOf(text).filter((word) => !ARTICLES.includes(word));
}

function stems(text) {
    return withoutArticles(text).map(stem);
}

/** The synonyms by the stems of what people say, the longest phrases first. */
const SAID = Object.entries(SYNONYMS)
    .map(([phrase, words]) => ({ said: stems(phrase), forms: words.map(stems) }))
    .sort((a, b) => b.said.length - a.said.length);

/** The texts of an operation by weight. */
function textsOf(operation, schemas) {
    const parameters = operation.parameters;
    const bodies = Object.values(operation.body?.content ?? {});
    const fields = bodies.flatMap(({ schema }) => schema ? schemas.fieldsOf(schema) : []);
    return [
        [8, [operation.summary]],
        [5, [operation.id, operation.method]],
        [4, [...parameters.map(({ name }) => name), operation.group.name]],
        [3, [operation.path, operation.description, operation.group.description, operation.body?.description ?? ""]],
        [1, [...parameters.map(({ description }) => description ?? ""), ...fields.flat()]],
    ];
}

/** Returns the number of letters that are wrong, missing, too many or swapped, up to `most` + 1. */
function faultsBetween(a, b, most) {
    if (Math.abs(a.length - b.length) > most) return most + 1;
    let [before, last] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
    for (let i = 1; i <= a.length; i += 1) {
        const row = [i];
        for (let j = 1; j <= b.length; j += 1) {
            const cost = a[i - 1] === b[j - 1] ? 0 : 1;
            row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost);
            const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
            if (isSwap) row[j] = Math.min(row[j], before[j - 2] + 1);
        }
        [before, last] = [last, row];
    }
    return last[b.length];
}

export class Index {
    #entries;
    /** How many operations have a stem. */
    #counts = new Map();
    /** The words that find something, by stem. */
    #vocabulary = new Map();

    constructor({ operations }, schemas) {
        this.#entries = operations.map((operation) => {
            const weights = new Map();
            for (const [weight, texts] of textsOf(operation, schemas)) {
                for (const word of new Set(texts.flatMap(wordsOf))) {
                    const found = stem(word);
                    weights.set(found, Math.max(weights.get(found) ?? 0, weight));
                    if (weight > 1) this.#vocabulary.set(found, word);
                }
            }
            for (const found of weights.keys()) this.#counts.set(found, (this.#counts.get(found) ?? 0) + 1);
            return { operation, weights };
        });
        for (const said of Object.keys(SYNONYMS).filter((one) => wordsOf(one).length === 1)) {
            this.#vocabulary.set(stem(said), said);
        }
    }

    /**
     * Returns `{ results, instead }`: the operations with most of the text's words, the best first, each with the stems
     * that were found in it. Words that no operation has are corrected; `instead` is the corrected text.
     */
    search(text) {
        const corrected = wordsOf(text).map((word) => this.#isKnown(word) ? word : this.#corrected(word)).join(" ");
        const isSame = corrected === wordsOf(text).join(" ");
        return { results: this.#ranked(corrected), instead: isSame ? null : corrected };
    }

    #isKnown(word) {
        const one = stem(word);
        return STOPS.has(word) || SAID.some(({ said }) => said.some((part) => part.startsWith(one)))
            || this.#entries.some(({ weights }) => this.#weight(weights, one, true));
    }

    #ranked(text) {
        const concepts = this.#conceptsOf(text);
        const found = this.#entries.map((entry) => {
            const matches = concepts.map((concept) => this.#match(entry, concept)).filter(Boolean);
            const score = matches.reduce((sum, match) => sum + match.score, 0);
            const own = new Set(matches.flatMap((match) => match.stems));
            return { operation: entry.operation, count: matches.length, score, stems: own };
        });
        const count = Math.max(1, ...found.map((one) => one.count));
        const ranked = found.filter((one) => one.count === count);
        ranked.sort((a, b) => b.score - a.score || deletes(a) - deletes(b));
        return ranked.filter(({ score }) => score >= ranked[0].score * SCORE_MIN).slice(0, RESULTS_MAX);
    }

    /** Returns what is searched for: each word or phrase as `{ own, forms }`, its stem and its synonyms. */
    #conceptsOf(text) {
        const typed = withoutArticles(text);
        const all = typed.map(stem);
        const concepts = [];
        for (let at = 0; at < all.length;) {
            const isLast = at === all.length - 1;
            // The last word may be unfinished.
            const begins = ({ said }) => said.length === 1 && said[0].startsWith(all[at]);
            const known = SAID.find(({ said }) => said.every((one, index) => one === all[at + index]))
                ?? (isLast && typed[at].length > 2 ? SAID.find(begins) : undefined);
            const { said: { length }, forms } = known ?? { said: [typed[at]], forms: [] };
            if (known || !STOPS.has(typed[at])) concepts.push({ own: length === 1 ? all[at] : null, forms });
            at += length;
        }
        return concepts.length > 0 ? concepts : all.map((own) => ({ own, forms: [] }));
    }

    /** Returns how well an operation has a word: the word itself, and its best synonym. */
    #match({ weights }, { own, forms }) {
        let best = null;
        for (const [index, form] of forms.entries()) {
            const parts = form.map((one) => this.#weight(weights, one, false));
            if (!parts.every(Boolean)) continue;
            const quality = Math.max(LATER_SYNONYM, SYNONYM - LATER_SYNONYM * index);
            const score = quality * parts.reduce((sum, part) => sum + part.weight, 0) / parts.length;
            if (score > (best?.score ?? 0)) best = { score, stems: parts.map((part) => part.stem) };
        }
        const itself = own === null ? null : this.#weight(weights, own, true);
        if (!itself) return best;
        const scores = [itself.weight, best?.score ?? 0];
        const stems = [itself.stem, ...(best?.stems ?? [])];
        return { score: Math.max(...scores) + BOTH * Math.min(...scores), stems };
    }

    /** Returns the weight of a stem in an operation: rare ones weigh more. What was typed may be the start of one. */
    #weight(weights, one, isTyped) {
        const rarity = (of) => Math.log(1 + this.#entries.length / this.#counts.get(of));
        if (weights.has(one)) return { stem: one, weight: weights.get(one) * rarity(one) };
        if (!isTyped || one.length < 2) return null;
        const begun = [...weights].filter(([other]) => other.startsWith(one));
        const [found, weight] = begun.sort((a, b) => b[1] - a[1])[0] ?? [];
        return found ? { stem: found, weight: PREFIX * weight * rarity(found) } : null;
    }

    /** Returns the known word that is closest to a misspelt one, or the word itself. */
    #corrected(word) {
        const most = word.length >= TWO_FAULTS ? 2 : word.length >= ONE_FAULT ? 1 : 0;
        let [best, fewest] = [word, most + 1];
        for (const known of this.#vocabulary.values()) {
            const faults = faultsBetween(word, known, most);
            if (faults < fewest) [best, fewest] = [known, faults];
        }
        return best;
    }
}

/** Returns the texts of an operation that may explain why it was found, the most telling first. */
export function explanationsOf({ description, parameters, body, group }) {
    const sentences = [description, body?.description ?? ""].flatMap((text) => text.split(/(?<=\.)\s+/));
    const named = parameters.map(({ name, description: what }) => `${name}: ${what ?? ""}`);
    return [...sentences, ...named, `${group.name}: ${group.description}`]
        .map((text) => text.replaceAll(/[`*]/g, "").replaceAll(/\s+/g, " "));
}
