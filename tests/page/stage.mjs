/** What scenarios play on: pages of the browser, whose faults are noted, and the service behind them. */

const DEADLINE_MS = 20_000;
const POLL_MS = 20;

/** The window sizes that the page is looked at in. */
export const VIEWS = {
    desktop: { width: 1280, height: 860 },
    phone: { width: 360, height: 740 },
};

/** What a browser says of a server that is away; nobody can keep it from that. */
export const AWAY = /^Failed to load resource: net::ERR_/;

/** Fails with what was expected. */
export function check(isSo, what) {
    if (!isSo) throw new Error(what);
}

/** Fails unless both are the same as JSON. */
export function same(got, wanted, what) {
    const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
    check(a === b, `${what}: ${a} instead of ${b}`);
}

/** Polls until `probe` gives something true, and gives it; fails with `what` and what was there last. */
export async function eventually(what, probe) {
    const end = Date.now() + DEADLINE_MS;
    for (;;) {
        const found = await probe();
        if (found) return found;
        check(Date.now() < end, `not within ${DEADLINE_MS} ms: ${what}`);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
}

/** What one scenario plays on; what it opens ends with it. */
export class Stage {
    #browsers;
    #contexts = [];

    /**
     * The service is at `url`, the files of docs/typescript at `example`. `requests` and `faults` take every request that
     * a page makes, and every fault that it tells.
     */
    constructor({ browsers, url, example, folder, ask, requests, faults }) {
        this.#browsers = browsers;
        Object.assign(this, { url, example, folder, ask, requests, faults });
    }

    /** Closes its pages. */
    async close() {
        await Promise.all(this.#contexts.map((context) => context.close()));
    }

    /** A page that shows what stands behind `hash`, or nothing yet. Options are those of a browser context, what complaints it may make, and its font. */
    async open(hash, { forgiven = null, font = "wide", ...options } = {}) {
        const context = await this.#browsers[font].newContext({
            viewport: VIEWS.desktop, colorScheme: "dark", serviceWorkers: "block", ...options,
        });
        this.#contexts.push(context);
        const page = await context.newPage();
        await this.#note(page, forgiven);
        if (hash !== null) await page.goto(`${this.url}/${hash}`);
        return page;
    }

    #note(page, forgiven) {
        const fault = (kind, text) => this.faults.push(`${kind}: ${text} (${page.url()})`);
        page.on("request", (request) => this.requests.push(request.url()));
        page.on("pageerror", (error) => fault("error", error.message));
        page.on("console", (message) => {
            if (!["error", "warning"].includes(message.type())) return;
            if (!forgiven?.test(message.text())) fault("console", message.text());
        });
        page.on("dialog", (dialog) => {
            fault("dialog", dialog.message());
            return dialog.dismiss();
        });
        return page.addInitScript(() => {
            addEventListener("securitypolicyviolation", (event) => {
                console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
            });
        });
    }

    /** An answer of the service as JSON, whatever its status. */
    async get(path) {
        return (await fetch(`${this.url}${path}`)).json();
    }

    /** Makes contributions to a board: `[member, points]` each, or `[member, values]`. */
    async give(board, ...amounts) {
        const items = amounts.map(([member, amount]) =>
            ({ board, member, ...(typeof amount === "object" ? { values: amount } : { points: amount }) }));
        const response = await fetch(`${this.url}/v1/contributions`, {
            method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(items),
        });
        const receipt = await response.json();
        check(receipt.applied === items.length, JSON.stringify(receipt));
    }

    /** Members of a board as the API has them now. */
    async order(board, n = 10, window = "day") {
        const top = await this.get(`/v1/boards/${board}/top?fresh=true&window=${window}&n=${n}`);
        return top.entries.map((entry) => entry.member);
    }
}

/** Members on the page, from top to bottom. */
export function shown(page) {
    return page.$$eval("#rows [role=row]", (rows) => rows.map((row) => row.querySelector(".name").textContent));
}

/** Waits until the page shows these members in this order. */
export async function shows(page, members, what = "order on the page") {
    let last;
    try {
        await eventually(what, async () => JSON.stringify(last = await shown(page)) === JSON.stringify(members));
    } catch (error) {
        throw new Error(`${error.message}: ${JSON.stringify(last)} instead of ${JSON.stringify(members)}`);
    }
}

/** Waits until the page says how it is connected. */
export function says(page, state) {
    return eventually(`connection ${state}`, () => page.$eval("#live", (live, wanted) => live.dataset.state === wanted, state));
}
