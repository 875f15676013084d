/** The page of the contract. */

import { check, eventually, same, VIEWS } from "../stage.mjs";
import { faults } from "./looks.mjs";

async function opened(stage, options = {}) {
    const page = await stage.open("docs", options);
    await page.locator("#contribute").waitFor();
    return page;
}

export const scenarios = {
    async "the contract is shown by route"(stage) {
        const contract = await stage.get("/openapi.json");
        const ids = Object.values(contract.paths).flatMap((item) => Object.values(item).map((it) => it.operationId));
        const page = await opened(stage);
        const shown = await page.$$eval(".route", (routes) => routes.map((route) => route.id));
        same([...shown].sort(), [...ids].sort(), "routes on the page");
        const links = await page.$$eval("#contents a", (all) => all.map((link) => link.hash.slice(1)));
        same(links, shown, "routes that the contents name");
        const member = page.locator("#member");
        const text = await member.innerText();
        for (const part of ["Read a member's position", "/v1/boards/{kind}/{subject}/members/{member}", "target", "read", "404", "not-ranked"]) {
            check(text.includes(part), `${part}: ${text}`);
        }
    },

    async "a command of the contract's page works"(stage) {
        await stage.give("gifts/room-8842", ["u1", 30], ["u2", 20]);
        const page = await opened(stage);
        const command = await page.locator("#top .command pre").first().innerText();
        const [, url] = command.match(/^curl '([^']+)'$/) ?? [];
        check(url?.startsWith(`${stage.url}/v1/boards/gifts/room-8842/top?`), command);
        same((await fetch(url)).status, 200, command);
    },

    async "schemas and nested schemas can be opened"(stage) {
        const page = await opened(stage);
        const schema = page.locator("#member .schema").first();
        await schema.locator("summary").first().click();
        const above = schema.locator("li", { has: page.locator(":scope > .name", { hasText: /^above$/ }) }).first();
        await above.locator("summary").first().focus();
        await page.keyboard.press("Enter");
        await eventually("the neighbour's gap", async () => (await above.innerText()).includes("gap"));
    },

    async "routes can be searched"(stage) {
        const page = await opened(stage);
        const shown = () => page.$$eval(".route", (all) => all.filter((it) => it.checkVisibility()).map((it) => it.id));
        await page.locator("#sift").fill("delete kind without");
        await eventually("one route", async () => JSON.stringify(await shown()) === '["delete_kind"]');
        await page.locator("#sift").fill("no such words");
        await eventually("the empty result is shown", async () => (await page.locator("#nothing").innerText()).includes("No route"));
        same(await shown(), [], "routes");
        await page.locator("#sift").fill("");
        await eventually("all routes", async () => (await shown()).length > 20);
    },

    async "axe finds no serious fault in the contract's page"(stage) {
        const found = [];
        for (const [view, viewport] of Object.entries(VIEWS)) {
            const page = await opened(stage, { viewport });
            await page.$$eval("#member details", (all) => all.forEach((it) => { it.open = true; }));
            for (const scheme of ["dark", "light"]) {
                await page.emulateMedia({ colorScheme: scheme });
                await page.screenshot({ path: `${stage.folder}/docs-${view}-${scheme}.png` });
                found.push(...(await faults(page)).map((fault) => `${view}, ${scheme}: ${fault}`));
            }
            const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            if (wide > 0) found.push(`${view}: the page is ${wide} px wider than the window`);
        }
        check(found.length === 0, found.join("\n"));
    },
};
