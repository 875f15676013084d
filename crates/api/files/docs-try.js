/** The form of an operation: its command follows what is typed, and “Send” sends it to this server. */

import * as api from "./api.js";
import { confirmed } from "./confirm.js";
import { command } from "./copy.js";
import { Answer } from "./docs-answer.js";
import { bodyExamples, curl, DROPPED, exampleOf, filled, headersOf, urlOf } from "./docs-request.js";
import { element, setText } from "./dom.js";

/** The URL of the service: the parent of the page's folder. */
const BASE = new URL("..", import.meta.url).href;

/** The lines that a body has at most before it scrolls. */
const LINES_MAX = 16;

/** Says that the key has changed: all forms share it. */
const keyChanges = new EventTarget();

/** Asks before a request that changes data, and returns whether it is to be sent. */
function mayChange({ method, summary }, url) {
    const verb = method.toUpperCase();
    return confirmed({
        title: `${method === "delete" ? "Delete" : "Change"} data of this server?`,
        parts: [element("p", {}, `${summary}.`), element("p", {}, element("code", {}, `${verb} ${url}`))],
        go: `Send ${verb}`,
        method,
        cancel: "Cancel",
    });
}

function optionsOf(schema, isRequired) {
    const values = schema.type === "boolean" ? ["true", "false"] : schema.enum;
    if (!values) return null;
    const unset = schema.default === undefined ? "not sent" : `not sent: ${schema.default}`;
    return [...(isRequired ? [] : [["", unset]]), ...values.map((value) => [String(value), String(value)])];
}

export class Try {
    #operation;
    #form;
    #command;
    #answer;
    #running = null;
    #stop = element("button", { type: "button", hidden: "" }, "Stop");

    /** `leaving` has the event `leave` when the page shows another group: what is under way ends. */
    constructor(operation, leaving) {
        this.#operation = operation;
        this.#form = filled(operation);
        this.#command = command(`Command for ${operation.id}`, this.#curl());
        this.#answer = new Answer(operation);
        this.#stop.addEventListener("click", () => this.#running?.abort());
        leaving.addEventListener("leave", () => this.#running?.abort());
        keyChanges.addEventListener("change", () => this.#changed());
    }

    /** Returns the command, and the form, which is built when it is opened. */
    elements() {
        const details = element("details", { class: "try" }, element("summary", {}, "Try it"));
        details.addEventListener("toggle", () => details.append(this.#build(), this.#answer.element), { once: true });
        return [this.#command, details];
    }

    #curl() {
        return curl(this.#operation, this.#form, BASE, api.key() !== null);
    }

    #changed() {
        setText(this.#command.querySelector("code"), this.#curl());
    }

    #build() {
        const { method, parameters, body, isChange, scope } = this.#operation;
        const send = element("button", { type: "submit", class: "send", "data-method": isChange ? method : "get" },
            isChange ? `Send ${method.toUpperCase()}…` : "Send");
        const made = element("form", { autocomplete: "off" },
            parameters.length ? element("div", { class: "fields" }, ...parameters.map((it) => this.#field(it))) : null,
            ...(body ? this.#body(body) : []),
            scope ? this.#key(scope) : null,
            element("div", { class: "ways" }, send, this.#stop));
        made.addEventListener("submit", (event) => {
            event.preventDefault();
            this.#send();
        });
        return made;
    }

    #id(name) {
        return `try-${this.#operation.id}-${name}`;
    }

    #field(it) {
        const id = this.#id(it.name);
        const options = optionsOf(it.schema, it.required);
        const control = options
            ? element("select", { id }, ...options.map(([value, text]) => element("option", { value }, text)))
            : element("input", {
                id, type: "text", dir: "auto", spellcheck: "false", autocapitalize: "off",
                placeholder: it.in === "header" ? exampleOf(it) || null : null,
                required: it.in === "path" ? "" : null,
            });
        control.value = this.#form.values[it.name];
        control.addEventListener("input", () => {
            const isDots = it.in === "path" && DROPPED.includes(control.value);
            control.setCustomValidity(isDots ? `${it.name} must not be ${control.value}` : "");
            this.#form.values[it.name] = control.value;
            this.#changed();
        });
        return element("div", { class: "field" },
            element("label", { for: id }, element("span", { class: "name" }, it.name),
                element("span", { class: "note" }, it.in),
                it.required ? element("span", { class: "needed" }, "required") : null),
            control);
    }

    #body({ content }) {
        const labelOf = (media, name) => name === "example" ? media : `${media}: ${name}`;
        const examples = Object.entries(content).flatMap(([media, of]) =>
            bodyExamples(of).map(([name, text]) => ({ label: labelOf(media, name), media, text })));
        const id = this.#id("body");
        const area = element("textarea", { id, spellcheck: "false", autocapitalize: "off", dir: "auto" });
        const show = (text) => {
            area.value = text;
            area.rows = Math.min(LINES_MAX, Math.max(3, text.split("\n").length));
        };
        show(this.#form.body);
        area.addEventListener("input", () => {
            this.#form.body = area.value;
            this.#changed();
        });
        const choice = element("select", { id: `${id}-example` },
            ...examples.map(({ label }, at) => element("option", { value: at }, label)));
        choice.addEventListener("input", () => {
            const { media, text } = examples[choice.value];
            Object.assign(this.#form, { media, body: text });
            show(text);
            this.#changed();
        });
        return [
            examples.length > 1
                ? element("div", { class: "field" }, element("label", { for: choice.id }, "Example of a body"), choice)
                : null,
            element("div", { class: "field" }, element("label", { for: id }, element("span", { class: "name" }, "Body"),
                element("span", { class: "note" }, Object.keys(content).join(" or "))), area),
        ];
    }

    #key(scope) {
        const id = this.#id("key");
        const input = element("input", {
            id, type: "password", autocomplete: "off", spellcheck: "false", pattern: "[!-~]*",
            title: "A key has visible ASCII characters", placeholder: "Only if the server has keys",
        });
        input.value = api.key() ?? "";
        input.addEventListener("input", () => {
            api.setKey(input.value.trim() || null);
            keyChanges.dispatchEvent(new Event("change"));
        });
        keyChanges.addEventListener("change", () => {
            if (document.activeElement !== input) input.value = api.key() ?? "";
        });
        return element("div", { class: "field" },
            element("label", { for: id }, element("span", { class: "name" }, "API key"),
                element("span", { class: "note" }, `scope ${scope}; kept in this tab only`)), input);
    }

    async #send() {
        if (this.#running) return;
        const url = urlOf(this.#operation, this.#form, BASE);
        const headers = headersOf(this.#operation, this.#form);
        if (api.key() !== null && this.#operation.scope) headers.push(["authorization", `Bearer ${api.key()}`]);
        const request = { method: this.#operation.method.toUpperCase(), headers, body: this.#form.body ?? undefined };
        this.#running = new AbortController();
        try {
            if (this.#operation.isChange && !await mayChange(this.#operation, url)) return;
            this.#stop.hidden = false;
            await this.#answer.send(url, request, this.#running.signal);
        } finally {
            this.#running = null;
            if (document.activeElement === this.#stop) this.#stop.parentElement.querySelector(".send").focus();
            this.#stop.hidden = true;
        }
    }
}
