/** The page that shows the API. It reads `openapi.json` of this server, and nothing else. */

import { command } from "./copy.js";
import { byId, element } from "./dom.js";
import { words } from "./docs-words.js";
import { Schemas } from "./docs-schema.js";

const METHODS = ["get", "post", "put", "delete"];

/** Returns all operations, in the order of the document. */
function operationsOf(contract) {
    return Object.entries(contract.paths).flatMap(([path, item]) =>
        METHODS.filter((method) => item[method]).map((method) => ({ path, method, ...item[method] })));
}

function methodOf(operation) {
    return element("span", { class: "method", "data-method": operation.method }, operation.method.toUpperCase());
}

function exampleOf(content) {
    if (content.example !== undefined) return content.example;
    return Object.values(content.examples ?? {})[0]?.value;
}

function textOf(example) {
    return typeof example === "string" ? example : JSON.stringify(example, null, 2);
}

/** Returns the URL of an operation, with examples for its parameters. */
function filled(operation) {
    const exampleFor = (it) => it.example ?? it.schema.example;
    const given = (operation.parameters ?? []).filter((it) => it.required || exampleFor(it) !== undefined);
    const value = (it) => encodeURIComponent(exampleFor(it) ?? it.name);
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => value(given.find((it) => it.in === "path" && it.name === name)));
    const query = given.filter((it) => it.in === "query").map((it) => `${it.name}=${value(it)}`);
    return new URL(`.${path}${query.length ? `?${query.join("&")}` : ""}`, location.href).href;
}

/** Returns the shell command for an operation. */
function curl(operation) {
    const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
    const parts = [operation.responses["200"]?.content?.["text/event-stream"] ? "curl -N" : "curl"];
    if (operation.method !== "get" && !(operation.method === "post" && operation.requestBody)) {
        parts.push(`-X ${operation.method.toUpperCase()}`);
    }
    parts.push(quoted(filled(operation)));
    const [media, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
    if (!media) return parts.join(" ");
    const body = exampleOf(content);
    const text = typeof body === "string" ? body : JSON.stringify(body ?? {});
    return `${parts.join(" ")} \\\n  -H 'content-type: ${media}' \\\n  -d ${quoted(text)}`;
}

function parameter(schemas, it) {
    return element("li", {},
        element("code", { class: "name" }, it.name),
        element("span", { class: "type" }, schemas.typeOf(it.schema)),
        element("span", { class: "note" }, it.in),
        it.required ? element("span", { class: "needed" }, "required") : null,
        ...words(it.description),
        ...schemas.bounds(it.schema, it.example));
}

function body(schemas, label, [media, content]) {
    const examples = content.examples
        ? Object.entries(content.examples).map(([name, { value }]) => command(`${label}, example ${name}`, textOf(value)))
        : exampleOf(content) === undefined ? [] : [command(`${label}, example`, textOf(exampleOf(content)))];
    return [
        element("p", { class: "media" }, element("code", {}, media)),
        ...examples,
        content.schema ? schemas.view(content.schema) : null,
    ];
}

function response(schemas, [status, reference]) {
    const it = schemas.answerOf(reference);
    const headers = Object.entries(it.headers ?? {}).map(([name, header]) =>
        element("li", {}, element("code", { class: "name" }, name), element("span", { class: "type" }, header.description ?? "")));
    const content = Object.entries(it.content ?? {});
    const isProblem = content.some(([media]) => media.includes("problem"));
    const inside = [
        headers.length ? element("ul", { class: "list" }, ...headers) : null,
        ...content.flatMap((entry) => body(schemas, `Response ${status}`, entry)),
    ];
    const more = inside.some(Boolean)
        ? element("details", isProblem ? {} : { open: "" }, element("summary", {}, "Content"),
            element("div", { class: "in" }, ...inside))
        : null;
    return element("li", {}, element("span", { class: "status" }, status), ...words(it.description), more);
}

function route(schemas, operation) {
    const id = operation.operationId;
    const scope = operation.security?.[0]?.key?.[0];
    const sections = [];
    if (operation.parameters?.length) {
        sections.push(element("h4", {}, "Parameters"),
            element("ul", { class: "list" }, ...operation.parameters.map((it) => parameter(schemas, it))));
    }
    if (operation.requestBody) {
        sections.push(element("h4", {}, "Body"), ...words(operation.requestBody.description),
            ...Object.entries(operation.requestBody.content).flatMap((entry) => body(schemas, `Body of ${id}`, entry)));
    }
    sections.push(element("h4", {}, "Responses"),
        element("ul", { class: "list" }, ...Object.entries(operation.responses).map((entry) => response(schemas, entry))));
    return element("section", { class: "route", id, "aria-labelledby": `${id}-title` },
        element("h3", { id: `${id}-title` }, element("a", { href: `#${id}` }, operation.summary)),
        element("p", { class: "at" }, methodOf(operation), element("code", {}, operation.path)),
        ...words(operation.description),
        scope ? element("p", { class: "scope" }, "Requires a key with scope ", element("code", {}, scope), " if the server has keys.") : null,
        command(`Command for ${id}`, curl(operation)),
        ...sections);
}

/** Shows the routes that contain all words of the text, and hides the others. */
function sift(text) {
    const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const group of document.querySelectorAll("#groups > div, #contents > div")) {
        let shown = 0;
        for (const one of group.querySelectorAll("[data-words]")) {
            one.hidden = !wanted.every((word) => one.dataset.words.includes(word));
            shown += one.hidden ? 0 : 1;
        }
        group.hidden = shown === 0;
        left += shown;
    }
    byId("nothing").textContent = left === 0 ? "No route matches." : "";
}

function show(contract) {
    const schemas = new Schemas(contract);
    byId("title").textContent = `${contract.info.title} ${contract.info.version}: the API`;
    byId("about").append(...words(contract.info.description));
    const operations = operationsOf(contract);
    for (const tag of contract.tags) {
        const own = operations.filter((operation) => operation.tags?.includes(tag.name));
        const found = (operation) => [operation.path, operation.method, operation.summary, operation.operationId].join(" ").toLowerCase();
        const links = own.map((operation) => element("li", { "data-words": found(operation) },
            element("a", { href: `#${operation.operationId}` }, methodOf(operation), element("span", {}, operation.summary))));
        byId("contents").append(element("div", {}, element("h2", {}, tag.name), element("ul", {}, ...links)));
        const routes = own.map((operation) => {
            const made = route(schemas, operation);
            made.dataset.words = found(operation);
            return made;
        });
        byId("groups").append(element("div", {}, element("h2", {}, tag.name), ...words(tag.description), ...routes));
    }
    byId("sift").addEventListener("input", (event) => sift(event.target.value));
    // The target of the URL's hash exists only now.
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

try {
    const response = await fetch("openapi.json");
    show(await response.json());
} catch (error) {
    byId("about").append(element("p", { role: "alert" }, `openapi.json could not be read: ${error.message}`));
}
