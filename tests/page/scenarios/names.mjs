/** Names of any text, and any integer as points. */

import { AVATAR, check, eventually, same, shows } from "../stage.mjs";

const HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "<script>alert(2)</script>",
    "\"'><svg/onload=alert(3)>",
    "محمد 12 abc",
    "שלום",
    "👩‍👩‍👧‍👦🏳️‍🌈",
    "{{constructor.constructor('alert(4)')()}}",
    "javascript:alert(5)",
    "x".repeat(128),
    "a b c",
];

export const scenarios = {
    async "hostile names are shown as text"(stage) {
        const board = `gifts/${encodeURIComponent("<b>room</b>")}`;
        await stage.give("gifts/<b>room</b>", ...HOSTILE.map((name, at) => [name, 100 - at]));
        for (const viewport of [{ width: 360, height: 740 }, { width: 1280, height: 860 }]) {
            const page = await stage.open(`#/${board}?window=day`, { viewport });
            await shows(page, HOSTILE);
            same(await page.locator("h1").textContent(), "<b>room</b>", "title");
            same(await page.locator("#rows img, #rows script, #rows svg, h1 b").count(), 0, "elements made of names");
            const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            check(wide <= 0, `the page is ${wide} px wider than the window`);
            // The direction of each name is isolated.
            same(await page.locator("#rows bdi[dir=auto]").count(), HOSTILE.length, "names in isolation");
            await page.locator("#rows .name").first().click();
            await eventually("the member found", () => page.locator("#found .place").isVisible());
            same(await page.locator("#found h3").textContent(), HOSTILE[0], "who was found");
        }
    },

    async "the name and the image of a profile are shown, as text and as an image"(stage) {
        const board = "gifts/profiled";
        await stage.give(board, ["u1", 9], ["u2", 7]);
        // The image does not exist: the initials of the name are shown.
        await stage.profile("gifts", "u1", { name: "<b>Ann Lee</b>", avatar: AVATAR });
        const page = await stage.open(`#/${board}?window=day&member=u2`, { ignored: /Failed to load resource/ });
        await eventually("the name", async () => (await page.locator("#rows .name").first().textContent()) === "<b>Ann Lee</b>");
        same(await page.locator("#rows .name b").count(), 0, "elements made of names");
        same(await page.locator("#rows .name").first().getAttribute("title"), "u1", "the member");
        await eventually("the gap names it", () => page.locator("#found .chase b", { hasText: "Ann Lee" }).isVisible());
        await eventually("no broken image", async () => (await page.locator("#rows .avatar img").count()) === 0);
        await page.locator("#member").fill("<b>Ann Lee</b>");
        await page.keyboard.press("Enter");
        await eventually("the member is found by the name that is shown", () => page.url().includes("member=u1"));
        await stage.profile("gifts", "u1", { name: "Eva" });
        await eventually("the new name", async () => (await page.locator("#rows .name").first().textContent()) === "Eva");
    },

    async "the largest integers are shown exactly"(stage) {
        const board = "gifts/large";
        await stage.give(board, ["most", 9007199254740991], ["next", 9007199254740990], ["least", -9007199254740991]);
        const page = await stage.open(`#/${board}?window=all&member=least`);
        await shows(page, ["most", "next", "least"]);
        const numbers = await page.locator("#rows .number").allInnerTexts();
        same(numbers, ["9,007,199,254,740,991", "9,007,199,254,740,990", "−9,007,199,254,740,991"], "points");
        const gaps = await page.locator("#rows .gap").allTextContents();
        same(gaps.map((gap) => gap.split(" ")[0]), ["Leader", "−1", "−18,014,398,509,481,981"], "gaps");
        await eventually("its place", () => page.locator("#found .chase").isVisible());
        check((await page.locator("#found .chase").innerText()).startsWith("18,014,398,509,481,98"), "the gap of the member found");
    },

    async "each field of a kind is shown with its order"(stage) {
        await stage.give("races/spa", ["ada", { laps: 40, seconds: 1201 }], ["ben", { laps: 40, seconds: 1190 }]);
        const page = await stage.open("#/races/spa?window=all");
        await shows(page, ["ben", "ada"]);
        const heads = await page.locator("#head [role=columnheader]").allTextContents();
        same(heads, ["Rank", "Member", "Laps ↓, highest first", "Seconds ↑, lowest first", "Gap", "Reached"], "columns");
        same(await page.locator("#rows .number").allInnerTexts(), ["40", "1,190", "40", "1,201"], "values");
        check((await page.locator("#rows .gap").last().textContent()).startsWith("Seconds +11"), "the field that parts them");
    },
};
