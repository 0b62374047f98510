/**
 * A real browser for tests, and a server that hands it the packages' sources as they are, types stripped: no bundler
 * stands between the code and the page.
 */
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { stripTypeScriptTypes } from "node:module";
import { join, normalize } from "node:path";
import type { TestContext } from "node:test";
import { type Browser, chromium } from "playwright-core";
import { ROOT } from "../../tools/stages.ts";

/** Why browser tests cannot run here; undefined when they can. */
export const NO_BROWSER =
  process.env.CAIRN_CHROMIUM === undefined ? "no browser: CAIRN_CHROMIUM names none (npm test brings one)" : undefined;

/** Starts the browser, closed after the test. */
export async function openBrowser(t: TestContext): Promise<Browser> {
  const executablePath = process.env.CAIRN_CHROMIUM ?? "";
  // Containers run as root without user namespaces; the pages are our own.
  const args = ["--no-sandbox", "--single-process", "--no-zygote", "--disable-gpu", "--headless=shell"];
  const browser = await chromium.launch({ executablePath, args, headless: true });
  t.after(() => browser.close());
  return browser;
}

const BROWSER_SAFE = ["primitives", "comet", "bitcoin", "contracts", "proofs", "api", "sdk"];
const IMPORT_MAP = {
  imports: {
    ...Object.fromEntries(BROWSER_SAFE.map((name) => [`@cairn/${name}`, `/packages/${name}/src/index.ts`])),
    zod: "/node_modules/zod/index.js",
    "smol-toml": "/node_modules/smol-toml/dist/index.js",
    "@noble/hashes/": "/node_modules/@noble/hashes/",
    "@noble/curves/": "/node_modules/@noble/curves/",
  },
};
const SERVED =
  /^\/(?:packages\/[a-z-]+\/(?:src|artifacts)|node_modules\/(?:zod|smol-toml|@noble\/(?:hashes|curves)))\/[\w./-]+\.(?:ts|js|json)$/;

/** URL of an empty page that may import the browser-safe packages. */
export async function servePackages(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    const path = normalize(request.url ?? "/");
    if (path === "/") return page(response);
    if (!SERVED.test(path)) return void response.writeHead(404).end();
    const source = readFileSync(join(ROOT, path), "utf8");
    const type = path.endsWith(".json") ? "application/json" : "text/javascript; charset=utf-8";
    response.writeHead(200, { "content-type": type });
    response.end(path.endsWith(".ts") ? stripTypeScriptTypes(source) : source);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return `http://127.0.0.1:${address.port}/`;
}

function page(response: ServerResponse): void {
  const map = JSON.stringify(IMPORT_MAP);
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
  response.end(`<!doctype html><title>packages</title><script type="importmap">${map}</script>`);
}
