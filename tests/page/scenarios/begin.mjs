/** How to begin: a server without boards or kinds, a browser without scripts, and the documentation. */

import { check, eventually, same } from "../stage.mjs";
import { looked } from "./looks.mjs";

export const scenarios = {
    async "a server without boards shows the command for a first contribution"(stage) {
        const page = await stage.open(null);
        await page.route("**/v1/boards?*", (route) => route.fulfill({ json: { kind: "gifts", boards: [], next: null } }));
        await page.goto(`${stage.url}/#/gifts`);
        await eventually("the heading", async () => (await page.locator("#card h2").allInnerTexts())[0] === "This kind has no boards yet");
        check((await page.locator("#card code").innerText()).includes('"board":"gifts/room-1"'), "the command names a board");
        const found = await looked(stage, page, "no-boards");
        check(found.length === 0, found.join("\n"));
    },

    async "a server without kinds shows the command for a first kind, and the page goes on by itself"(stage) {
        const page = await stage.open(null);
        await page.route("**/v1/kinds", (route) => route.fulfill({ json: { kinds: [] } }));
        await page.goto(stage.url);
        await eventually("the command", async () => (await page.locator("#card code").allInnerTexts())[0]
            === `curl -X PUT ${stage.url}/v1/kinds/gifts \\\n  -H 'content-type: application/json' \\\n  -d '{}'`);
        check(await page.locator("#side").isHidden(), "there is nothing to search");
        await page.unrouteAll();
        await eventually("a board", async () => await page.locator("#title").innerText() !== "Megaboard");
    },

    async "the page links to the documentation, also without scripts"(stage) {
        const page = await stage.open("#/gifts/main?window=day");
        const href = await page.locator("#docs").evaluate((link) => link.href);
        same([href, (await fetch(href)).status], [`${stage.url}/docs`, 200], "the link");
        const plain = await stage.open("", { javaScriptEnabled: false });
        const links = await plain.$$eval("noscript a", (all) => all.map((link) => link.href));
        check(links.length > 0, "a link without scripts");
        for (const link of links) same((await fetch(link)).status, 200, link);
    },
};
