/** Schemas as lists of fields, which are rendered when a schema is opened: schemas may be recursive. */

import { element } from "./dom.js";
import { words } from "./docs-words.js";

export class Schemas {
    #all;
    #answers;

    constructor(contract) {
        this.#all = contract.components.schemas;
        this.#answers = contract.components.responses;
    }

    /** Resolves a response that may be a reference. */
    answerOf(response) {
        return response.$ref ? this.#answers[this.nameOf(response)] : response;
    }

    /** Returns the name of a referenced schema. */
    nameOf(schema) {
        return schema?.$ref?.split("/").at(-1);
    }

    #resolved(schema) {
        const name = this.nameOf(schema);
        return name ? { ...this.#all[name], ...schema, $ref: undefined } : schema;
    }

    /** Describes a schema's type. */
    typeOf(schema) {
        const name = this.nameOf(schema);
        if (name && !this.#isPlain(this.#all[name])) return name;
        const it = this.#resolved(schema);
        const some = (it.oneOf ?? it.anyOf)?.map((other) => this.typeOf(other)).join(" or ");
        if (some) return some;
        if (it.enum) return it.enum.map((word) => JSON.stringify(word)).join(" or ");
        const sorts = [it.type ?? (it.properties || it.allOf ? "object" : "anything")].flat();
        return sorts.map((sort) => sort === "array" ? `array of ${this.typeOf(it.items ?? {})}` : sort).join(" or ");
    }

    #isPlain(schema) {
        return !schema.properties && !schema.allOf && !schema.oneOf;
    }

    /** Returns a line with the limits, the default and an example of a value; none if it has none. */
    bounds(schema, example = undefined) {
        const it = this.#resolved(schema);
        const said = [
            ["minimum", it.minimum], ["maximum", it.maximum], ["minimum length", it.minLength],
            ["maximum length", it.maxLength], ["minimum items", it.minItems], ["maximum items", it.maxItems],
            ["pattern", it.pattern], ["default", it.default], ["example", example ?? it.example ?? it.examples?.[0]],
        ].filter(([, value]) => value !== undefined && value !== null && value !== false);
        if (said.length === 0) return [];
        const text = (value) => typeof value === "string" ? value : JSON.stringify(value);
        return words(said.map(([what, value]) => `${what} \`${text(value)}\``).join(" · "));
    }

    /** Returns the fields of an object, including those of its parts: `[name, schema, required]`. */
    #members(schema) {
        const it = this.#resolved(schema);
        const isRequired = (name) => it.required?.includes(name) ?? false;
        const own = Object.entries(it.properties ?? {}).map(([name, of]) => [name, of, isRequired(name)]);
        return [...(it.allOf ?? []).flatMap((part) => this.#members(part)), ...own];
    }

    /** Returns the object schemas that a value may have or contain. */
    #inner(schema) {
        const it = this.#resolved(schema);
        const alternatives = (it.oneOf ?? it.anyOf ?? []).flatMap((other) => this.#inner(other));
        if (alternatives.length > 0) return alternatives;
        if (it.items) return this.#inner(it.items);
        if (typeof it.additionalProperties === "object") return this.#inner(it.additionalProperties);
        return this.#members(it).length > 0 ? [schema] : [];
    }

    /** Returns the names and descriptions of the fields of a schema, without those of objects inside of them. */
    fieldsOf(schema) {
        const inner = this.#inner(schema).flatMap((one) => this.#members(one));
        return inner.map(([name, of]) => [name, this.#resolved(of).description ?? ""]);
    }

    #member([name, schema, needed]) {
        const inner = this.#inner(schema);
        return element("li", {},
            element("code", { class: "name" }, name),
            element("span", { class: "type" }, this.typeOf(schema)),
            needed ? element("span", { class: "needed" }, "required") : null,
            ...words(this.#resolved(schema).description),
            ...this.bounds(schema),
            ...inner.map((one) => this.#closed(one)));
    }

    #closed(schema) {
        const details = element("details", {}, element("summary", {}, this.nameOf(schema) ?? "Fields"));
        const fill = () => details.append(element("div", { class: "in" }, this.#list(schema)));
        details.addEventListener("toggle", fill, { once: true });
        return details;
    }

    #list(schema) {
        // If several parts define a field, the last one applies.
        const members = new Map(this.#members(schema).map((member) => [member[0], member]));
        return element("ul", { class: "list" }, ...[...members.values()].map((member) => this.#member(member)));
    }

    /** Renders a schema: its type, and its fields on demand. */
    view(schema) {
        const inner = this.#inner(schema);
        return element("div", { class: "schema" },
            element("p", {}, element("span", { class: "note" }, this.typeOf(schema))),
            ...inner.map((one) => this.#closed(one)));
    }
}
