/**
 * Generates docs/typescript/megaboard.d.ts from docs/openapi.json: `npm run types --prefix tests/page` writes it,
 * `node make.mjs` prints it.
 *
 * The output of openapi-typescript is unchanged, so that libraries that use its `paths` work. Appended are short names,
 * and the events of a stream, which OpenAPI cannot describe.
 */

import { readFileSync, writeFileSync } from "node:fs";

import openapiTS, { astToString } from "openapi-typescript";

const DOCS = new URL("../../../docs/", import.meta.url);
const TYPES = new URL("typescript/megaboard.d.ts", DOCS);

const HEAD = `/**
 * The types of Megaboard's HTTP API, made from docs/openapi.json by openapi-typescript. Made again, not changed by hand:
 *
 *     npm ci --prefix tests/page --ignore-scripts && npm run types --prefix tests/page
 */

`;

const EVENTS = `
/** The events of a stream by their names: what \`JSON.parse(event.data)\` gives. */
export interface StreamEvents {
    /** The top, whole: at once, and whenever it has changed. */
    board: Top;
    /** With \`changes=true\`, behind the first \`board\`: what moved. */
    changes: Changes;
    /** With \`member\`: that member's own place. One who is not ranked has no \`position\` in it. */
    member: OwnPositionResponse | NoPositionResponse;
    /** Why the stream ends here. */
    problem: Problem;
}
`;

/** A schema under its own name, with its description. */
function named([name, { description }]) {
    const words = description?.split("\n").map((line) => ` * ${line}`.trimEnd()).join("\n");
    const comment = words ? `/**\n${words}\n */\n` : "";
    return `${comment}export type ${name} = components["schemas"]["${name}"];\n`;
}

async function made() {
    const contract = JSON.parse(readFileSync(new URL("openapi.json", DOCS), "utf8"));
    // A property with a default is still optional.
    const types = astToString(await openapiTS(contract, { defaultNonNullable: false }));
    return [HEAD, types, "\n", ...Object.entries(contract.components.schemas).map(named), EVENTS].join("");
}

if (process.argv[2] === "--write") writeFileSync(TYPES, await made());
else process.stdout.write(await made());
