/** The contract as the page uses it: groups of operations, in the order of the document. Pure. */

const METHODS = ["get", "post", "put", "delete"];

/** The media type of streams. */
const EVENTS = "text/event-stream";

function operationOf(path, method, item) {
    const scope = item.security?.[0]?.key?.[0] ?? null;
    return {
        path,
        method,
        scope,
        // Reads of public kinds need no key.
        isOptional: item.security?.some((way) => Object.keys(way).length === 0) ?? false,
        id: item.operationId,
        group: null,
        summary: item.summary,
        description: item.description ?? "",
        parameters: item.parameters ?? [],
        body: item.requestBody ?? null,
        responses: item.responses,
        isStream: EVENTS in (item.responses["200"]?.content ?? {}),
        // Some requests are a POST only because they have a body: they need no more than the scope `read`.
        isChange: method !== "get" && scope !== "read",
        tags: item.tags ?? [],
    };
}

/** Returns `{ info, groups, operations }` of a document. An operation has its group, and a group its operations. */
export function contractOf(document) {
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
        METHODS.filter((method) => item[method]).map((method) => operationOf(path, method, item[method])));
    const groups = document.tags.map(({ name, description }) => {
        const group = { name, description, id: `/${name.toLowerCase()}`, operations: [] };
        group.operations = operations.filter(({ tags }) => tags.includes(name));
        for (const operation of group.operations) operation.group = group;
        return group;
    });
    return { info: document.info, groups, operations };
}

/** Returns what the hash of the URL selects: a group, or an operation and its group, or a name that is unknown. */
export function selected({ groups, operations }, hash) {
    const name = hash.slice(1);
    const group = groups.find(({ id }) => id === name);
    const operation = operations.find(({ id }) => id === name);
    if (operation) return { group: operation.group, operation, unknown: null };
    return { group: group ?? null, operation: null, unknown: group || ["", "/"].includes(name) ? null : name };
}
