/** Sends a request, and shows the response: status, time, headers, and the body as text; of a stream the first events. */

import { element } from "./dom.js";
import { pretty } from "./docs-json.js";

/** The time after which a request is given up. A stream has none. */
const REQUEST_MS_MAX = 30_000;

/** The number of characters of a response that are shown. */
const TEXT_MAX = 128 * 1024;

/** The number of events of a stream that are shown. */
const EVENTS_MAX = 20;

/** The headers that are shown. */
const HEADERS = [
    "content-type", "etag", "cache-control", "allow", "retry-after", "www-authenticate", "x-request-id",
];

const numbers = new Intl.NumberFormat("en-US");

/** Returns the text of a body as it is shown. Strings are other people's text. */
function codeOf(text, isJson) {
    const parts = isJson ? pretty(text) : [["mark", text]];
    return element("code", {}, ...parts.map(([kind, part]) =>
        kind === "mark" ? part : element(kind === "string" ? "bdi" : "span", { class: `json-${kind}` }, part)));
}

function block(label, text, isJson) {
    return element("pre", { tabindex: "0", role: "region", "aria-label": label }, codeOf(text, isJson));
}

/** Yields the text of a body in parts. */
async function* textOf(body) {
    if (body === null) return;
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    try {
        for (;;) {
            const { done, value } = await reader.read();
            if (done) return;
            yield value;
        }
    } finally {
        await reader.cancel().catch(() => {});
    }
}

/** Returns an event of a block of lines, or null if it has no data. */
function eventOf(lines) {
    const fields = { event: "message", id: "", data: [] };
    for (const line of lines.split("\n")) {
        const [, name, value] = /^(\w+): ?(.*)$/s.exec(line) ?? [];
        if (name === "data") fields.data.push(value);
        else if (name in fields) fields[name] = value;
    }
    return fields.data.length > 0 ? { ...fields, data: fields.data.join("\n") } : null;
}

export class Answer {
    #name;
    #scope;
    #outcome = element("p", { class: "outcome", role: "status" });
    #content = element("div");
    #begun = 0;
    element = element("div", { class: "answer" }, this.#outcome, this.#content);

    /** Answers of the operation are labelled with its id. */
    constructor({ id, scope }) {
        this.#name = id;
        this.#scope = scope;
    }

    /** Sends a request until `signal` aborts it. Shows each end of it, and never throws. */
    async send(url, options, signal) {
        this.#begun = performance.now();
        this.#content.replaceChildren();
        this.#say("", "Sending…");
        const timeout = new AbortController();
        const timer = setTimeout(() => timeout.abort(), REQUEST_MS_MAX);
        try {
            const request = { ...options, cache: "no-store", signal: AbortSignal.any([signal, timeout.signal]) };
            const response = await fetch(url, request);
            const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
            if (isStream) clearTimeout(timer);
            await (isStream ? this.#events(response) : this.#whole(response));
        } catch (error) {
            this.#fail(error, signal.aborted, timeout.signal.aborted);
        } finally {
            clearTimeout(timer);
        }
    }

    #say(state, ...parts) {
        this.#outcome.dataset.state = state;
        this.#outcome.replaceChildren(...parts);
    }

    #status(response, ...parts) {
        const status = element("strong", {}, `${response.status} ${response.statusText}`.trim());
        const isGood = response.ok || response.status === 304;
        this.#say(isGood ? "good" : "bad", status, ...parts.map((part) => element("span", {}, part)));
    }

    #time() {
        return `${numbers.format(Math.round(performance.now() - this.#begun))} ms`;
    }

    #headers(response) {
        const sent = HEADERS.filter((name) => response.headers.has(name));
        return element("dl", { class: "headers" },
            ...sent.flatMap((name) => [element("dt", {}, name), element("dd", {}, response.headers.get(name))]));
    }

    /** Shows paragraphs, without empty ones. */
    #failure(...paragraphs) {
        const filled = paragraphs.filter((parts) => parts.length > 0);
        const elements = filled.map((parts) => element("p", {}, ...parts));
        this.#content.append(element("div", { class: "failure", role: "alert" }, ...elements));
    }

    #note(text) {
        this.#content.append(element("p", { class: "cut" }, text));
    }

    async #whole(response) {
        let text = "";
        for await (const part of textOf(response.body)) {
            text += part;
            if (text.length > TEXT_MAX) break;
        }
        const isCut = text.length > TEXT_MAX;
        if (isCut) text = text.slice(0, TEXT_MAX);
        const bytes = numbers.format(new Blob([text]).size);
        this.#status(response, this.#time(), isCut ? `more than ${bytes} bytes` : `${bytes} bytes`);
        const media = response.headers.get("content-type") ?? "";
        if (media.startsWith("application/problem+json")) this.#problem(response.status, text);
        this.#content.append(this.#headers(response));
        if (text !== "") this.#content.append(block(`Response to ${this.#name}`, text, /\bjson\b/.test(media)));
        if (isCut) this.#note(`The first ${numbers.format(TEXT_MAX)} characters are shown. The command returns all.`);
    }

    #problem(status, text) {
        let problem;
        try {
            problem = JSON.parse(text);
        } catch {
            return;
        }
        const { title = "Problem", type = "", detail = "" } = problem;
        const wantsKey = [401, 403].includes(status) && this.#scope !== null;
        this.#failure(
            [element("strong", {}, title), " ", element("code", {}, type)],
            [element("bdi", {}, detail)],
            wantsKey ? [`Enter a key with the scope ${this.#scope} above.`] : []);
    }

    async #events(response) {
        const list = element("ol", { class: "events" });
        this.#content.append(this.#headers(response), list);
        let [unread, count, shown] = ["", 0, 0];
        const tell = (what) => this.#status(response, `${count === 1 ? "1 event" : `${count} events`}, ${what}`);
        tell("waiting");
        for await (const part of textOf(response.body)) {
            const blocks = (unread + part).split("\n\n");
            unread = blocks.pop();
            for (const event of blocks.map(eventOf).filter(Boolean).slice(0, EVENTS_MAX - count)) {
                count += 1;
                shown += event.data.length;
                list.append(this.#event(event, count));
            }
            tell("open");
            if (count >= EVENTS_MAX || shown + unread.length > TEXT_MAX) {
                tell("closed by this page");
                this.#note(`The first ${count} events are shown. The command shows all.`);
                return;
            }
        }
        tell("ended by the server");
    }

    #event({ event, id, data }, count) {
        return element("li", {},
            element("p", {}, element("strong", {}, event), element("span", {}, this.#time()),
                id === "" ? null : element("code", {}, id)),
            block(`Event ${count} of ${this.#name}`, data.slice(0, TEXT_MAX), true));
    }

    #fail(error, isStopped, isLate) {
        if (isStopped) {
            this.#say("", `Stopped after ${this.#time()}`);
            return;
        }
        const why = isLate ? `there was no complete response within ${REQUEST_MS_MAX / 1000} s` : error.message;
        this.#say("bad", element("strong", {}, "No response"), element("span", {}, this.#time()));
        this.#failure([`The request failed: ${why}.`],
            ["It is unknown whether the server has received it. Check that the server is running and can be reached."]);
    }
}
