/** The description of an operation, with its command and its form. */

import { command } from "./copy.js";
import { bodyExamples } from "./docs-request.js";
import { Try } from "./docs-try.js";
import { words } from "./docs-words.js";
import { element } from "./dom.js";

/** Returns the method of an operation as a label. */
export function methodOf({ method }) {
    return element("span", { class: "method", "data-method": method }, method.toUpperCase());
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

function examples(label, [media, content]) {
    return bodyExamples(content).map(([name, text]) => command(`${label}, ${media}, ${name}`, text));
}

/** Returns a media type with its schema, after some content. */
function media(schemas, [name, { schema }], ...content) {
    const label = element("p", { class: "media" }, element("code", {}, name));
    return [label, ...content, schema ? schemas.view(schema) : null];
}

function response(schemas, label, [status, it]) {
    const headers = Object.entries(it.headers ?? {}).map(([name, { description }]) => element("li", {},
        element("code", { class: "name" }, name), ...words(description)));
    const content = Object.entries(it.content ?? {});
    const inside = () => [
        headers.length ? element("ul", { class: "list" }, ...headers) : null,
        ...content.flatMap((entry) => media(schemas, entry, ...examples(`Response ${status} of ${label}`, entry))),
    ];
    return element("li", {}, element("span", { class: "status" }, status), ...words(it.description),
        headers.length || content.length ? folded(["Content"], inside, !isProblem(it)) : null);
}

function isProblem({ content }) {
    return Object.keys(content ?? {}).some((media) => media.includes("problem"));
}

/** Returns details. The content of closed ones is made when they are opened. */
function folded(summary, inside, isOpen) {
    const details = element("details", { open: isOpen ? "" : null }, element("summary", {}, ...summary));
    const fill = () => details.append(element("div", { class: "in" }, ...inside().filter(Boolean)));
    if (isOpen) fill();
    else details.addEventListener("toggle", fill, { once: true });
    return details;
}

function responses(schemas, operation) {
    const all = Object.entries(operation.responses).map(([status, of]) => [status, schemas.answerOf(of)]);
    const item = (entry) => response(schemas, operation.id, entry);
    const list = (some) => element("ul", { class: "list" }, ...some.map(item));
    const problems = all.filter(([, it]) => isProblem(it));
    const statuses = problems.flatMap(([status]) => [" ", element("span", { class: "status" }, status)]);
    return [
        element("h3", {}, "Responses"), list(all.filter(([, it]) => !isProblem(it))),
        problems.length ? folded(["Problems", ...statuses], () => [list(problems)], false) : null,
    ];
}

/** Returns the section of an operation. `leaving` has the event `leave` when it is no longer shown. */
export function route(schemas, operation, leaving) {
    const { id, scope } = operation;
    const text = [];
    if (operation.parameters.length) {
        text.push(element("h3", {}, "Parameters"),
            element("ul", { class: "list" }, ...operation.parameters.map((it) => parameter(schemas, it))));
    }
    if (operation.body) {
        const content = Object.entries(operation.body.content);
        text.push(element("h3", {}, "Body"), ...words(operation.body.description),
            ...content.flatMap((entry) => media(schemas, entry)),
            folded(["Examples"], () => content.flatMap((entry) => examples(`Body of ${id}`, entry)), false));
    }
    text.push(...responses(schemas, operation));
    return element("section", { class: "route", id, tabindex: "-1", "aria-labelledby": `${id}-title` },
        element("div", { class: "parts" },
            element("div", { class: "head" },
                element("h2", { id: `${id}-title` }, element("a", { href: `#${id}` }, operation.summary)),
                element("p", { class: "at" }, methodOf(operation), element("code", {}, operation.path),
                    operation.isChange ? element("span", { class: "changes" }, "changes data") : null),
                ...words(operation.description),
                scope ? element("p", { class: "scope" },
                    "Requires a key with the scope ", element("code", {}, scope), " if the server has keys",
                    operation.isOptional ? " and the kind is not public." : ".") : null),
            element("div", { class: "side" }, ...new Try(operation, leaving).elements()),
            element("div", { class: "text" }, ...text.filter(Boolean))));
}
