/** A server with keys, simulated by intercepting requests, since the server of these tests has none. */

import { check, eventually, same, shows } from "../stage.mjs";

const KEY = "mb_the-right-one";

const REFUSED = /^Failed to load resource: the server responded with a status of 401/;

/** Refuses requests without the key, and issues tokens. */
async function guard(page, seen, board = "gifts/guarded") {
    await page.route("**/v1/**", async (route) => {
        const request = route.request();
        const url = new URL(request.url());
        seen.push(new URL(url));
        if (!isAllowed(request, url)) {
            await route.fulfill({ status: 401, contentType: "application/problem+json", body: JSON.stringify(PROBLEM) });
        } else if (url.pathname.endsWith("/stream-tokens")) {
            same(request.postDataJSON(), { board }, "what the token is for");
            await route.fulfill({ json: { token: "tok-1", expires_at: "2100-01-01T00:00:00.000000Z" } });
        } else {
            // The real server has neither keys nor tokens.
            url.searchParams.delete("token");
            const { authorization, ...headers } = request.headers();
            await route.continue({ url: url.href, headers });
        }
    });
}

const PROBLEM = { type: "unauthorized", title: "A key is needed", status: 401, detail: "authorization: is missing" };

function isAllowed(request, url) {
    if (url.pathname.endsWith("/stream")) return url.searchParams.get("token") === "tok-1";
    return request.headers().authorization === `Bearer ${KEY}`;
}

export const scenarios = {
    async "a key is requested, kept for the tab, and exchanged for tokens"(stage) {
        await stage.give("gifts/guarded", ["ada", 3], ["ben", 2]);
        const page = await stage.open(null, { ignored: REFUSED });
        const seen = [];
        await guard(page, seen);
        await page.goto(`${stage.url}/#/gifts/guarded?window=day`);
        await page.locator("#key").fill("mb_wrong");
        await page.keyboard.press("Enter");
        await eventually("the rejection is shown", async () => (await page.locator("#card").innerText()).includes("was rejected"));
        await page.locator("#key").fill(KEY);
        await page.keyboard.press("Enter");
        await shows(page, ["ada", "ben"]);
        await eventually("a stream with the token", () => seen.some((url) => url.searchParams.get("token") === "tok-1"));
        check(seen.every((url) => !url.href.includes(KEY)), "the key must not be in a URL");
        await stage.give("gifts/guarded", ["ben", 20]);
        await shows(page, ["ben", "ada"]);
        same(await page.evaluate(() => [localStorage.length, sessionStorage.length]), [0, 1], "where the key is kept");
        await page.reload();
        await shows(page, ["ben", "ada"]);
    },

    async "a key is requested for a kind that is not public, and may be left out again"(stage) {
        await stage.give("gifts/guarded-2", ["ada", 3]);
        const { kinds } = await stage.get("/v1/kinds");
        const open = { ...kinds.find((kind) => kind.kind === "gifts"), kind: "open", public_read: true };
        const page = await stage.open(null, { ignored: REFUSED });
        await guard(page, [], "gifts/guarded-2");
        // Without a key everybody may read the public kind, and a wrong one is refused.
        await page.route("**/v1/kinds", (route) => {
            if (route.request().headers().authorization === undefined) return route.fulfill({ json: { kinds: [open] } });
            return route.fallback();
        });
        await page.goto(`${stage.url}/#/gifts/guarded-2?window=day`);
        await page.locator("#key").fill("mb_wrong");
        await page.keyboard.press("Enter");
        await eventually("the rejection is shown", async () => (await page.locator("#card").innerText()).includes("was rejected"));
        check((await page.locator("#card").innerText()).includes("Leave it empty"), "how to go on without a key");
        await page.locator("#key").press("Enter");
        await eventually("another request", async () => !(await page.locator("#card").innerText()).includes("was rejected"));
        same(await page.evaluate(() => sessionStorage.length), 0, "the wrong key is forgotten");
        await page.locator("#key").fill(KEY);
        await page.keyboard.press("Enter");
        await shows(page, ["ada"]);
    },
};
