/** The overlay for streaming software. */

import { check, eventually, same } from "../stage.mjs";
import { faults } from "./looks.mjs";

async function opened(stage, path, options = {}) {
    const page = await stage.open(null, { viewport: { width: 640, height: 480 }, reducedMotion: "reduce", ...options });
    await page.goto(`${stage.url}/overlay/${path}`);
    return page;
}

function rows(page) {
    return page.$$eval("#rows li", (all) => all.map((row) => ["rank", "name", "value"].map((part) => row.querySelector(`.${part}`).textContent).join(" ")));
}

function shows(page, wanted) {
    return eventually(`rows ${wanted}`, async () => JSON.stringify(await rows(page)) === JSON.stringify(wanted));
}

/** Returns the opacity of the last pixel of an image. */
async function alphaOfCorner(stage, png) {
    const page = await stage.open(null);
    return page.evaluate(async (base64) => {
        const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
        const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
        canvas.drawImage(image, 0, 0);
        return canvas.getImageData(image.width - 1, image.height - 1, 1, 1).data[3];
    }, png.toString("base64"));
}

export const scenarios = {
    async "an overlay shows the top of a board as it changes, on no ground"(stage) {
        await stage.give("gifts/over lay", ["ada", 3000], ["ben", 200], ["<b>cyd</b>", 10], ["dan", 1]);
        const page = await opened(stage, "gifts/over%20lay?n=3&window=day&title=%3Cb%3ETop%3C/b%3E");
        await shows(page, ["1 ada 3,000", "2 ben 200", "3 <b>cyd</b> 10"]);
        same(await page.locator("#title").textContent(), "<b>Top</b>", "the title is text");
        same(await page.locator("button, input, select, a").count(), 0, "controls");
        const ground = await page.evaluate(() => [document.documentElement, document.body].map((it) => getComputedStyle(it).backgroundColor));
        same(ground, ["rgba(0, 0, 0, 0)", "rgba(0, 0, 0, 0)"], "the ground");
        check(await alphaOfCorner(stage, await page.screenshot({ omitBackground: true })) === 0, "what is not drawn is transparent");
        await stage.give("gifts/over lay", ["ben", 9000]);
        await shows(page, ["1 ben 9,200", "2 ada 3,000", "3 <b>cyd</b> 10"]);
        const tops = await page.$$eval("#rows li", (all) => all.map((row) => row.getBoundingClientRect().top));
        check(tops[0] < tops[1] && tops[1] < tops[2], `rows are drawn in their order: ${tops}`);
    },

    async "the size and the colours of an overlay are parameters, and other values are refused"(stage) {
        await stage.give("gifts/painted", ["ada", 3], ["ben", 2]);
        const page = await opened(stage, "gifts/painted?window=day&scale=2&ink=%23ff0000&row=00f8&theme=light&lang=es");
        await shows(page, ["1 ada 3", "2 ben 2"]);
        const [size, ink, row, lang] = await page.evaluate(() => [
            getComputedStyle(document.documentElement).fontSize, getComputedStyle(document.body).color,
            getComputedStyle(document.querySelector("#rows li")).backgroundColor, document.documentElement.lang]);
        same([size, ink, row, lang], ["32px", "rgb(255, 0, 0)", "rgba(0, 0, 255, 0.533)", "es"], "what was asked for");
        const wrong = {
            "n=11": 'n: "11" is not accepted; use 1 – 10', "ink=red": 'ink: "red" is not accepted; use #rrggbb',
            "row=%23fff%3Bbackground:url(x)": 'row: "#fff;background:url(x)" is not accepted; use #rrggbb',
            "scale=9": 'scale: "9" is not accepted; use 0.5 – 4', "theme=pink": 'theme: "pink" is not accepted; use dark, light',
        };
        for (const [query, text] of Object.entries(wrong)) {
            const refused = await opened(stage, `gifts/painted?${query}`);
            await eventually(text, async () => await refused.locator("#note").innerText() === text);
            await refused.context().close();
        }
        const unknown = await opened(stage, "gifts/painted?css=x");
        await eventually("another parameter", async () => /^css: unknown parameter; use n, window,/.test(await unknown.locator("#note").innerText()));
        const missing = await opened(stage, "no-such-kind/room", { ignored: /status of 404/ });
        await eventually("a kind that does not exist", async () => /no-such-kind\/room cannot be shown/.test(await missing.locator("#note").innerText()));
    },

    async "a battle shows two members against each other, each on its side"(stage) {
        await stage.give("gifts/pk", ["ada", 300]);
        const page = await opened(stage, "gifts/pk?battle=1&window=day");
        await eventually("a rival is missing", async () => await page.locator("#note").innerText() === "Waiting for a second member");
        await stage.give("gifts/pk", ["ben", 100]);
        const sides = () => page.$$eval(".fighter", (all) => all.map((side) => `${side.querySelector(".name").textContent} ${side.querySelector(".value").textContent}`));
        await eventually("both", async () => JSON.stringify(await sides()) === '["ada 300","ben 100"]');
        same(await page.locator(".difference").innerText(), "+200", "the difference");
        same(await page.locator("#battle").getAttribute("data-ahead"), "left", "who is ahead");
        const parts = await page.$$eval(".versus i", (all) => all.map((part) => part.getBoundingClientRect().width));
        check(Math.abs(parts[0] / parts[1] - 3) < 0.1, `three to one: ${parts}`);
        await stage.give("gifts/pk", ["ben", 500]);
        await eventually("ben leads on his side", async () => JSON.stringify(await sides()) === '["ada 300","ben 600"]');
        same(await page.locator("#battle").getAttribute("data-ahead"), "right", "who is ahead");
        same(await page.locator(".difference").innerText(), "+300", "the difference");
    },

    async "all viewers of a battle see its sides alike, before and after a reload"(stage) {
        await stage.give("gifts/sides", ["red", 100], ["blue", 300]);
        const sides = (page) => page.$$eval(".fighter", (all) => all.map((side) => ["name", "value"].map((part) => side.querySelector(`.${part}`).textContent).join(" ")).join(", "));
        const sees = (page, wanted) => eventually(wanted, async () => await sides(page) === wanted);
        const early = await opened(stage, "gifts/sides?battle=1&window=day");
        await sees(early, "blue 300, red 100");
        await stage.give("gifts/sides", ["red", 500]);
        await sees(early, "blue 300, red 600");
        const late = await opened(stage, "gifts/sides?battle=1&window=day");
        await sees(late, "blue 300, red 600");
        await early.reload();
        await sees(early, "blue 300, red 600");
        const named = await opened(stage, "gifts/sides?battle=1&window=day&sides=red,blue");
        await sees(named, "red 600, blue 300");
        same(await named.locator("#battle").getAttribute("data-ahead"), "left", "who is ahead");
        // Named members are shown before they have points, and whoever else is first.
        const other = await opened(stage, "gifts/sides?battle=1&window=day&sides=green%2Cblue&lang=en");
        await sees(other, "green –, blue 300");
        same(await other.locator("#battle").getAttribute("data-ahead"), "right", "who is ahead");
        same(await other.locator(".difference").innerText(), "–", "the difference");
        await stage.give("gifts/sides", ["pink", 9000], ["green", 1]);
        await sees(other, "green 1, blue 300");
        const empty = await opened(stage, "gifts/sides-empty?battle=1&window=day&sides=red,blue");
        await sees(empty, "red –, blue –");
        const wrong = {
            "battle=1&sides=red": 'sides: "red" is not accepted; use LEFT,RIGHT', "battle=1&sides=red,red": 'sides: "red,red" is not accepted; use LEFT,RIGHT',
            "sides=red,blue": 'sides: "red,blue" is not accepted; use battle=1',
        };
        for (const [query, text] of Object.entries(wrong)) {
            const refused = await opened(stage, `gifts/sides?${query}`);
            await eventually(text, async () => await refused.locator("#note").innerText() === text);
        }
    },

    async "long numbers of an overlay are short where there is little room"(stage) {
        await stage.give("gifts/long", ["ada", 9_007_199_254_740_991], ["ben", 1_234_567_890]);
        const values = (page, selector) => page.$$eval(selector, (all) => all.map((it) => it.textContent));
        const wanted = { 640: ["9,007,199,254,740,991", "1,234,567,890"], 300: ["9007.2T", "1,234,567,890"] };
        for (const [width, texts] of Object.entries(wanted)) {
            const page = await opened(stage, "gifts/long?window=day", { viewport: { width: Number(width), height: 240 } });
            await eventually(`at ${width} px`, async () => JSON.stringify(await values(page, "#rows .value")) === JSON.stringify(texts));
            await page.context().close();
        }
        await stage.give("gifts/long-pk", ["ada", 9_876_543_210], ["ben", 8_234_567_890]);
        for (const width of [240, 300, 390, 430, 560, 640]) {
            const page = await opened(stage, "gifts/long-pk?battle=1&window=day", { viewport: { width, height: 240 } });
            await eventually("both", async () => (await values(page, ".fighter .value")).includes("9,876,543,210"));
            const boxes = await page.$$eval(".fighter .value, .difference", (all) => all.map((it) => {
                const range = document.createRange();
                range.selectNodeContents(it);
                const { left, right, top, bottom } = range.getBoundingClientRect();
                return { left, right, top, bottom, text: it.textContent };
            }));
            const overlaps = boxes.flatMap((a, at) => boxes.slice(at + 1).filter((b) =>
                a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom).map((b) => `${a.text} and ${b.text}`));
            same(overlaps, [], `numbers that overlap at ${width} px`);
            await page.context().close();
        }
    },

    async "an overlay that needs a key says what to do"(stage) {
        const page = await stage.open(null, { ignored: /status of 401/ });
        const problem = { type: "unauthorized", title: "Unauthorized", status: 401, detail: "authorization: is missing" };
        await page.route("**/v1/**", (route) => route.fulfill({
            status: 401, contentType: "application/problem+json", body: JSON.stringify(problem),
        }));
        await page.goto(`${stage.url}/overlay/gifts/closed`);
        const text = "gifts/closed needs ?token=… or a kind with public_read";
        await eventually(text, async () => await page.locator("#note").innerText() === text);
    },

    async "an overlay with a token needs no key"(stage) {
        await stage.give("gifts/tokened", ["ada", 3]);
        const { token } = await fetch(`${stage.url}/v1/stream-tokens`, {
            method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ board: "gifts/tokened" }),
        }).then((response) => response.json());
        const page = await stage.open(null);
        const asked = [];
        page.on("request", (request) => asked.push(new URL(request.url())));
        await page.goto(`${stage.url}/overlay/gifts/tokened?window=day&token=${token}`);
        await shows(page, ["1 ada 3"]);
        const reads = asked.filter(({ pathname }) => pathname.startsWith("/v1/"));
        same(reads.map(({ pathname }) => pathname), ["/v1/boards/gifts/tokened/stream"], "requests");
        same(reads[0].searchParams.get("token"), token, "the token");
    },

    async "axe finds no serious fault in an overlay"(stage) {
        await stage.give("gifts/over", ...Array.from({ length: 10 }, (_, at) => [`viewer-${at}`, 9000 - at * 700]));
        const found = [];
        for (const query of ["title=Gifts&window=day", "battle=1&window=day&sides=viewer-1,viewer-0", "n=11"]) {
            for (const theme of ["dark", "light"]) {
                const page = await opened(stage, `gifts/over?${query}&theme=${theme}`);
                await page.locator("#rows li, .fighter .value, #note.wrong").first().waitFor();
                await page.screenshot({ path: `${stage.folder}/overlay-${query.split(/[=&]/)[0]}-${theme}.png`, omitBackground: true });
                found.push(...(await faults(page)).map((fault) => `${query}, ${theme}: ${fault}`));
                await page.context().close();
            }
        }
        check(found.length === 0, found.join("\n"));
    },
};
