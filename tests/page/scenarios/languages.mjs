/** The languages of the page. */

import { readdirSync, readFileSync } from "node:fs";

import { check, eventually, same, shows, VIEWS } from "../stage.mjs";
import { looked } from "./looks.mjs";

const SOURCES = new URL("../../../crates/api/files/", import.meta.url);

/** The languages, with the locale of a browser, and words that it then shows: of the live state and of a number. */
const LANGUAGES = {
    en: ["en-US", "en", "Live", "12,345"],
    zh: ["zh-CN", "zh-Hans", "实时", "12,345"],
    es: ["es-ES", "es", "En directo", "12.345"],
    ja: ["ja-JP", "ja", "ライブ", "12,345"],
};

/** The words of the live page, and those of the admin page beside them. */
const FAMILIES = ["words", "words-admin"];

/** Returns the texts that are wider than their elements. Names of others may be. */
function cutWords() {
    const texts = "button, label, legend, h2, .live span, .sign, .links a, .windows span, .head span, .total, .eyebrow, .source, .rate, .trail p, .none, .chase span, .what, option";
    const isUnseen = (text) => text !== null && (getComputedStyle(text).clipPath !== "none" || isUnseen(text.parentElement));
    return [...document.querySelectorAll(texts)]
        .filter((text) => text.checkVisibility() && !isUnseen(text) && text.closest(".sizer") === null)
        .filter((text) => text.scrollWidth > text.clientWidth + 1 && getComputedStyle(text).display !== "inline")
        .map((text) => `${innerWidth} px: ${text.outerHTML}`);
}

function placeholders(value) {
    const texts = typeof value === "string" ? [value] : Object.values(value);
    return texts.map((text) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort().join());
}

export const scenarios = {
    async "all languages have the same keys and placeholders, and all plural forms"(stage) {
        const page = await stage.open("#/gifts/main?window=day");
        const wrong = [];
        for (const family of FAMILIES) {
            const all = {};
            for (const language of Object.keys(LANGUAGES)) {
                const file = `${stage.url}/page/${family}-${language}.js`;
                all[language] = await page.evaluate(async (url) => (await import(url)).WORDS, file);
            }
            for (const [language, words] of Object.entries(all)) {
                same(Object.keys(words), Object.keys(all.en), `keys of ${family} in ${language}`);
                const categories = await page.evaluate((tag) => new Intl.PluralRules(tag).resolvedOptions().pluralCategories, language);
                for (const [key, value] of Object.entries(words)) {
                    const [wanted] = placeholders(all.en[key]).slice(-1);
                    if (placeholders(value).some((found, at, { length }) => found !== wanted && (at === length - 1 || wanted !== "{count}"))) {
                        wrong.push(`${language}: ${key}: placeholders of ${JSON.stringify(value)}`);
                    }
                    const isWhole = typeof value === "string" || JSON.stringify(Object.keys(value).sort()) === JSON.stringify([...categories].sort());
                    if (!isWhole) wrong.push(`${language}: ${key}: ${Object.keys(value)} instead of ${categories}`);
                }
            }
        }
        same(wrong, [], "wrong words");
    },

    async "every key is used"() {
        const files = readdirSync(SOURCES).filter((name) => /\.(js|html)$/.test(name) && !/^words-/.test(name));
        const text = files.map((name) => readFileSync(new URL(name, SOURCES), "utf8")).join("\n");
        // Keys that are put together begin with a literal: `state.${…}`.
        const isUsed = (key) => text.includes(`"${key}"`) || text.includes(`\`${key.slice(0, key.lastIndexOf(".") + 1)}\${`)
            || text.includes(`\${key}.${key.split(".").at(-1)}\``);
        for (const family of FAMILIES) {
            const source = readFileSync(new URL(`${family}-en.js`, SOURCES), "utf8");
            const { WORDS } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
            same(Object.keys(WORDS).filter((key) => key !== "tag" && !isUsed(key)), [], "keys that no file uses");
        }
    },

    async "the page is shown in the browser's language, without truncated words"(stage) {
        const board = "gifts/tongues";
        await stage.give(board, ["ada", 12_345], ["ben", 12_344], ["cyd", 7]);
        const found = [];
        for (const [language, [locale, tag, live, number]] of Object.entries(LANGUAGES)) {
            for (const [view, viewport] of Object.entries(VIEWS)) {
                const page = await stage.open(`#/${board}?window=day&member=ben`, { locale, viewport, reducedMotion: "reduce" });
                await shows(page, ["ada", "ben", "cyd"]);
                await eventually("the place", () => page.locator("#found .place").isVisible());
                await eventually("live", async () => await page.locator("#live").innerText() === live);
                same(await page.evaluate(() => document.documentElement.lang), tag, "lang");
                same(await page.locator("#rows .number").first().innerText(), number, "a number");
                found.push(...(await page.evaluate(cutWords)).map((text) => `${language}, ${view}: ${text}`));
                found.push(...await looked(stage, page, `${language}-${view}`));
                await page.context().close();
            }
        }
        check(found.length === 0, found.join("\n"));
    },

    async "a language can be chosen, and is remembered"(stage) {
        await stage.give("gifts/chosen", ["ada", 1]);
        const page = await stage.open("#/gifts/chosen?window=day");
        await shows(page, ["ada"]);
        await page.locator("#language").selectOption("ja");
        await page.locator("html[lang=ja]").waitFor();
        await shows(page, ["ada"], "the same board");
        await page.reload();
        await page.locator("html[lang=ja]").waitFor();
        same(await page.locator("#language").inputValue(), "ja", "the choice");
        // A link may name a language, for this visit.
        await page.goto(`${stage.url}/?lang=es#/gifts/chosen?window=day`);
        await page.locator("html[lang=es]").waitFor();
        await page.locator("#language").selectOption("zh");
        await page.locator("html[lang=zh-Hans]").waitFor();
    },
};
