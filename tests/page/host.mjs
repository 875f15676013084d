/** A web server for pages on another origin than Megaboard's. */

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";

const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript" };

/**
 * Serves the files below `folder`, a URL, and like a backend, tokens for the boards of the Megaboard at `service`:
 * `/board-token?board=`. Resolves to its `origin`, and how to `close` it.
 */
export async function host(folder, service) {
    const server = createServer((request, response) => {
        const url = new URL(request.url, "http://host");
        const content = url.pathname === "/board-token" ? token(service, url.searchParams.get("board")) : file(folder, url.pathname);
        content.then(
            ([status, type, body]) => response.writeHead(status, { "content-type": type }).end(body),
            (error) => response.writeHead(502, { "content-type": "text/plain" }).end(String(error)),
        );
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const close = () => {
        server.close();
        server.closeAllConnections();
    };
    return { origin: `http://127.0.0.1:${server.address().port}`, close };
}

async function token(service, board) {
    const response = await fetch(`${service}/v1/stream-tokens`, {
        method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ board }),
    });
    return [response.status, "application/json", await response.text()];
}

async function file(folder, path) {
    const name = path.endsWith("/") ? `${path}index.html` : path;
    return [200, TYPES[extname(name)], await readFile(new URL(`.${name}`, folder))];
}
