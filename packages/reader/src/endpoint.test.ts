import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { callEndpoint, EndpointError, type EndpointOptions } from "./endpoint.ts";

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
    await callEndpoint(endpoint, "eth_chainId", [], new AbortController().signal);
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

test("redirects, floods, silence and other formats are refused", async (t) => {
  const redirect = (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(307, { location: "http://127.0.0.1:1/" }).end();
  assert.equal((await refusal(t, redirect)).code, "unreachable");
  const flood = (_: IncomingMessage, response: ServerResponse) => void response.end("x".repeat(2_000));
  assert.equal((await refusal(t, flood, { maxBytes: 1_000 })).code, "too-large");
  assert.equal((await refusal(t, () => {}, { timeoutMs: 50 })).code, "unreachable");
  for (const text of ["", "<html>", "1", "null"]) {
    const plain = (_: IncomingMessage, response: ServerResponse) => void response.end(text);
    assert.equal((await refusal(t, plain)).code, "not-json-rpc", text);
  }
});
