/** The language of the page, and the locale of its numbers and dates. */

/** The languages, each in its own words. Each has a module `words-….js`. */
export const LANGUAGES = { en: "English", zh: "中文", es: "Español", ja: "日本語" };

const NAME = "megaboard-language";

/** Returns the language of a tag such as `es-MX`, if there are words in it. */
function known(tag) {
    const [language] = (tag ?? "").toLowerCase().split("-");
    return Object.hasOwn(LANGUAGES, language) ? language : null;
}

function stored() {
    try {
        return localStorage.getItem(NAME);
    } catch {
        return null;
    }
}

/** A document may have only one language; otherwise the URL decides, then the stored choice, then the browser. */
const asked = [document.documentElement.dataset.language, new URLSearchParams(location.search).get("lang"), stored()];

/** The language of the words. */
export const language = [...asked, ...navigator.languages].map(known).find((found) => found !== null) ?? "en";

/** The user's locale in this language, such as `es-MX`, or the language itself. */
export const locale = navigator.languages.find((tag) => known(tag) === language) ?? language;

/** Stores a choice and shows the page in this language. What it shows is in its URL. */
export function choose(chosen) {
    const url = new URL(location.href);
    url.searchParams.delete("lang");
    try {
        localStorage.setItem(NAME, chosen);
    } catch {
        // Without storage the URL has the choice.
        url.searchParams.set("lang", chosen);
    }
    if (url.href === location.href) location.reload();
    else location.replace(url);
}
