/**
 * Type-checks everything that uses the types: the example, uses.ts, and the lines of docs/clients.md that import them.
 * Prints the errors of tsc, and fails if there are any.
 */

import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

import ts from "typescript";

const CONFIG = fileURLToPath(new URL("tsconfig.json", import.meta.url));
const DOCS = new URL("../../../docs/", import.meta.url);

/** The modules in docs/clients.md, by their path beside the types. */
function shown() {
    const lines = readFileSync(new URL("clients.md", DOCS), "utf8");
    const blocks = lines.split(/\n(?! {4}|\n)/).map((part) => part.replace(/^.*\n\n/, "").replaceAll(/^ {4}/gm, ""));
    const modules = blocks.filter((block) => block.startsWith("import type"));
    if (modules.length === 0) throw new Error("docs/clients.md shows no module");
    return new Map(modules.map((text, at) => [fileURLToPath(new URL(`typescript/clients.md-${at + 1}.ts`, DOCS)), text]));
}

const { options, fileNames } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(CONFIG, ts.sys.readFile).config, ts.sys, dirname(CONFIG));
const modules = shown();
const host = ts.createCompilerHost(options);
const { fileExists, readFile } = host;
host.fileExists = (path) => modules.has(path) || fileExists(path);
host.readFile = (path) => modules.get(path) ?? readFile(path);
const found = ts.getPreEmitDiagnostics(ts.createProgram([...fileNames, ...modules.keys()], options, host));
process.stdout.write(ts.formatDiagnostics(found, host));
process.exitCode = found.length === 0 ? 0 : 1;
