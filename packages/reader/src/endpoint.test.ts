import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { createEndpoint, type EndpointOptions } from "./endpoint.ts";
import { EndpointError } from "./endpoint-error.ts";

/** An endpoint that answers as told, asked once; resolves with the error. */
async function refusal(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  o: Partial<EndpointOptions> & { readonly path?: string } = {},
): Promise<EndpointError> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const endpoint = { auth: undefined, ...o, url: `http://127.0.0.1:${port}${o.path ?? "/"}` };
  try {
    await createEndpoint(endpoint).rpc("eth_chainId", [], new AbortController().signal);
  } catch (error) {
    assert.ok(error instanceof EndpointError, `${error}`);
    return error;
  }
  return assert.fail("answered");
}

function rpcError(message: unknown): (request: IncomingMessage, response: ServerResponse) => void {
  return (_request, response) => void response.end(JSON.stringify({ id: 1, error: { code: -32_000, message } }));
}

test("an endpoint that repeats our secrets does not get them into an error text", async (t) => {
  const auth = { header: "authorization", value: "Bearer sesame-open" };
  const echo =
    "key sesame-open (Bearer sesame-open) of /v3/0123456789abcdef?apikey=hunter2-hunter2 is spent\nforged line";
  const error = await refusal(t, rpcError(echo), { auth, path: "/v3/0123456789abcdef?apikey=hunter2-hunter2" });
  assert.equal(error.code, "rpc-error");
  assert.doesNotMatch(error.message, /sesame|0123456789abcdef|hunter2|\n/);
  assert.match(error.message, /is spent forged line$/);
});

test("an error text of any type is an endpoint's error", async (t) => {
  for (const message of [null, 5, {}, { toString: 1 }, []]) {
    assert.equal((await refusal(t, rpcError(message))).code, "rpc-error", JSON.stringify(message));
  }
  assert.ok((await refusal(t, rpcError("x".repeat(1_000_000)))).message.length < 300);
});

test("direction marks, line separators and halves of pairs of an endpoint's text do not reach a terminal", async (t) => {
  const garbled = "evil \u202Etxet\u2028line\u200B \uD800 \u001b[31m \u{1F600} end";
  const { message } = await refusal(t, rpcError(garbled));
  assert.doesNotMatch(message, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
  const long = (await refusal(t, rpcError("\u{1F600}".repeat(500)))).message;
  assert.ok(long.isWellFormed(), "it is not cut within a pair");
});

test("redirects, floods, silence and other formats are refused", async (t) => {
  const redirect = (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(307, { location: "http://127.0.0.1:1/" }).end();
  assert.equal((await refusal(t, redirect)).code, "redirect");
  const flood = (_: IncomingMessage, response: ServerResponse) => void response.end("x".repeat(2_000));
  assert.equal((await refusal(t, flood, { maxBytes: 1_000 })).code, "too-large");
  assert.equal((await refusal(t, () => {}, { timeoutMs: 50 })).code, "unreachable");
  for (const text of ["", "<html>", "1", "null"]) {
    const plain = (_: IncomingMessage, response: ServerResponse) => void response.end(text);
    assert.equal((await refusal(t, plain)).code, "not-json", text);
  }
});

test("a redirect within the host is followed, the token with it; a POST is not turned into a GET", async (t) => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    if (request.url === "/old") response.writeHead(308, { location: "/new" }).end();
    else if (request.url === "/found") response.writeHead(302, { location: "/new" }).end();
    else if (request.url === "/round") response.writeHead(307, { location: "/round" }).end();
    else response.end('{"id":1,"result":"0x1"}');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const auth = { header: "authorization", value: "Bearer sesame-open" };
  const at = (path: string) => createEndpoint({ url: `http://127.0.0.1:${port}${path}`, auth });
  const signal = AbortSignal.timeout(10_000);
  assert.equal(await at("/old").rpc("m", [], signal), "0x1");
  assert.deepEqual(seen, ["Bearer sesame-open", "Bearer sesame-open"]);
  for (const path of ["/found", "/round"]) {
    await assert.rejects(at(path).rpc("m", [], signal), (error: EndpointError) => error.code === "redirect");
  }
});

test("JSON nested without end is refused before it is built", async (t) => {
  const deep = `{"id":1,"result":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const nested = (_: IncomingMessage, response: ServerResponse) => void response.end(deep);
  assert.equal((await refusal(t, nested)).code, "too-deep");
});

test("an endpoint that sends gigabytes is cut off at the limit", async (t) => {
  let sent = 0;
  const endless = (_: IncomingMessage, response: ServerResponse) => {
    const block = Buffer.alloc(1024 * 1024, 0x20);
    const more = () => {
      while (!response.destroyed && response.write(block)) sent += block.length;
      if (!response.destroyed) response.once("drain", more);
    };
    response.writeHead(200, { "content-type": "application/json" });
    more();
  };
  assert.equal((await refusal(t, endless)).code, "too-large");
  assert.ok(sent < 64 * 1024 * 1024, `${sent} bytes were taken`);
});

test("credentials of the URL travel as Basic, a REST path goes below the URL's own", async (t) => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? "-"}`);
    response.end('{"id":1,"result":[]}');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const signal = AbortSignal.timeout(10_000);
  const basic = Buffer.from("u:p@ss").toString("base64");
  await createEndpoint({ url: `http://u:p%40ss@127.0.0.1:${port}/w`, auth: undefined }).rpc("m", [], signal);
  const rest = createEndpoint({ url: `http://127.0.0.1:${port}/key/v1/`, auth: undefined });
  await rest.rest("/v1/blocks?x=1", undefined, signal);
  await rest.rest("/wallet/now", {}, signal);
  const basicLine = `POST /w Basic ${basic}`;
  assert.deepEqual(seen, [basicLine, "GET /key/v1/blocks?x=1 -", "POST /key/v1/wallet/now -"]);
});

test("Retry-After of an endpoint is read in seconds and as a date, bounded, and nothing else is", async (t) => {
  const after = async (header: string) => {
    const answer = (_: IncomingMessage, response: ServerResponse) =>
      void response.writeHead(429, { "retry-after": header }).end("slow down");
    const error = await refusal(t, answer);
    assert.deepEqual([error.code, error.throttled], ["http-status", true]);
    return error.retryAfterMs;
  };
  assert.equal(await after("2"), 2_000);
  assert.equal(await after("999999999"), 900_000);
  const date = await after(new Date(Date.now() + 60_000).toUTCString());
  assert.ok(date > 50_000 && date <= 60_000, `${date}`);
  for (const header of ["-1", "soon", "1e9", new Date(0).toUTCString()]) assert.equal(await after(header), 0, header);
});
