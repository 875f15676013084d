/** The fixture of scenarios: browser pages whose faults are recorded, and the service. */

/** How long a condition is waited for that never holds. No machine is so slow or busy that one which does takes as long. */
const DEADLINE_MS = 180_000;
const POLL_MS = 20;

/** The window sizes. */
export const VIEWS = {
    wide: { width: 2560, height: 1300 },
    desktop: { width: 1280, height: 860 },
    phone: { width: 360, height: 740 },
};

/** The image of a profile: the only URL of another host that a page may request. */
export const AVATAR = "https://127.0.0.1:1/ann.png";

/** The message that a browser always logs if a server is unavailable. */
export const AWAY = /^Failed to load resource: net::ERR_/;

/** Fails with `what` unless the condition is true. */
export function check(condition, what) {
    if (!condition) throw new Error(what);
}

/** Fails unless both are the same as JSON. */
export function same(actual, expected, what) {
    const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
    check(a === b, `${what}: ${a} instead of ${b}`);
}

/** Polls until `probe` returns a true value, and returns it. Fails with `what` at the deadline. */
export async function eventually(what, probe) {
    const end = Date.now() + DEADLINE_MS;
    for (;;) {
        const found = await probe();
        if (found) return found;
        check(Date.now() < end, `not within ${DEADLINE_MS} ms: ${what}`);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
}

/** Holds back the requests of a page for `pattern`, or those for which `isHeld()` holds, until the returned function is called. */
export async function held(page, pattern, isHeld = () => true) {
    let release;
    const gate = new Promise((resolve) => { release = resolve; });
    await page.route(pattern, async (route) => {
        if (await isHeld()) await gate;
        return route.fallback();
    });
    return release;
}

/** The fixture of one scenario. Its pages are closed at its end. */
export class Stage {
    #browser;
    #contexts = [];
    #faults = [];

    /**
     * The service is at `url`, the files of docs/typescript at `example`. `browser` resolves to the browser with a font;
     * `ask` kills and starts the service. The URLs of all requests of the pages are in `requests`.
     */
    constructor({ browser, url, example, folder, ask }) {
        this.#browser = browser;
        Object.assign(this, { url, example, folder, ask, requests: [] });
    }

    /** Fails if a page made a request to another host, logged an error, violated its policy or opened a dialog. */
    checkPages() {
        check(this.#contexts.length === 0 || this.requests.length > 0, "no requests were seen");
        const others = this.requests.filter((url) => url !== AVATAR);
        const outside = others.filter((url) => ![this.url, this.example].includes(new URL(url).origin));
        same(outside, [], "requests to other hosts");
        same(this.#faults, [], "faults of pages");
    }

    /** Closes all pages. */
    async close() {
        await Promise.all(this.#contexts.map((context) => context.close()));
    }

    /** Opens a page with this `hash`, or no page yet if it is null. Options: ignored console messages, the font, and those of a browser context. */
    async open(hash, { ignored = null, font = "wide", ...options } = {}) {
        const context = await (await this.#browser(font)).newContext({
            viewport: VIEWS.desktop, colorScheme: "dark", serviceWorkers: "block", ...options,
        });
        this.#contexts.push(context);
        context.setDefaultTimeout(DEADLINE_MS);
        const page = await context.newPage();
        await this.#note(page, ignored);
        if (hash !== null) await page.goto(`${this.url}/${hash}`);
        return page;
    }

    #note(page, ignored) {
        const fault = (kind, text) => this.#faults.push(`${kind}: ${text} (${page.url()})`);
        page.on("request", (request) => this.requests.push(request.url()));
        page.on("pageerror", (error) => fault("error", error.message));
        page.on("console", (message) => {
            if (!["error", "warning"].includes(message.type())) return;
            if (!ignored?.test(message.text())) fault("console", message.text());
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

    /** Returns a response of the service as JSON, with any status. */
    async get(path) {
        return (await fetch(`${this.url}${path}`)).json();
    }

    /** Contributes to a board: `[member, points]` each, or `[member, values]`. */
    async give(board, ...amounts) {
        const items = amounts.map(([member, amount]) =>
            ({ board, member, ...(typeof amount === "object" ? { values: amount } : { points: amount }) }));
        const response = await fetch(`${this.url}/v1/contributions`, {
            method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(items),
        });
        const receipt = await response.json();
        check(receipt.applied === items.length, JSON.stringify(receipt));
    }

    /** Sets the profile of a member of a kind. */
    async profile(kind, member, profile) {
        const response = await fetch(`${this.url}/v1/kinds/${kind}/members/${encodeURIComponent(member)}/profile`, {
            method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify(profile),
        });
        check(response.ok, await response.text());
    }

    /** Hides a member in a kind, or shows it again. */
    async hide(kind, member, isHidden) {
        const path = `${this.url}/v1/members/${encodeURIComponent(member)}/hidden?kind=${kind}`;
        const response = await fetch(path, { method: isHidden ? "PUT" : "DELETE" });
        check(response.ok, await response.text());
    }

    /** Returns the members of a board in the order of the API. */
    async order(board, n = 10, window = "day") {
        const top = await this.get(`/v1/boards/${board}/top?fresh=true&window=${window}&n=${n}`);
        return top.entries.map((entry) => entry.member);
    }
}

/** Returns the members on the page, from top to bottom. */
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

/** Waits until the page shows this state of its connection. */
export function says(page, state) {
    return eventually(`connection ${state}`, () => page.$eval("#live", (live, wanted) => live.dataset.state === wanted, state));
}
