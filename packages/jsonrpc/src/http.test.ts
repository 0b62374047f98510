import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { createJsonRpcServer, type Dispatch, type JsonRpcServer, ListenError } from "./index.ts";

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const loopback = { host: "127.0.0.1", port: 0 };

const dispatch: Dispatch = (method, params, context) => {
  if (method === "echo") return { ok: true, json: JSON.stringify(params ?? null) };
  if (method === "later") return Promise.resolve({ ok: true, json: '"later"' });
  if (method === "fail") return { ok: false, code: 3, message: "execution reverted", data: '"0x"' };
  if (method === "crash") throw new Error("secret /etc/path");
  if (method === "hang") return new Promise(() => undefined);
  if (method === "big") return { ok: true, json: `"${"x".repeat(1000)}"` };
  if (method === "who")
    return { ok: true, json: JSON.stringify([context.transport, context.authorization, context.query]) };
  return { ok: false, code: -32601, message: `the method ${method} does not exist/is not available` };
};

let server: JsonRpcServer;
let url = "";
before(async () => {
  const limits = {
    bodyBytes: 20_000,
    batchResponseBytes: 2_500,
    callTimeoutMs: 50,
    batchConcurrency: 32,
    bodiesBytes: 35_000,
  };
  const authenticate = (header: string): boolean => header === "Bearer good";
  server = await createJsonRpcServer({ http: loopback, dispatch, limits, authenticate, log: silent });
  url = server.httpUrl ?? "";
});
after(() => server.close());

const JSON_TYPE = { "content-type": "application/json" };
const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(url, { method: "POST", body, headers: { ...JSON_TYPE, ...headers } });
const call = (method: string, params?: unknown) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
const json = async (response: Response): Promise<unknown> => response.json();

/** A peer that asks again and again and reads nothing. */
function deafPeer(address: string, body: string, times: number): Socket {
  const socket = connect(Number(new URL(address).port), "127.0.0.1").pause();
  socket.on("error", () => undefined);
  const head = "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
  socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`.repeat(times));
  return socket;
}

test("of replies that nobody reads one per connection is made; the worst are cut, who reads is always served", async () => {
  const warnings: object[] = [];
  let called = 0;
  const large: Dispatch = (method) => {
    if (method === "small") return { ok: true, json: "1" };
    called++;
    return { ok: true, json: `"${"x".repeat(2_000_000)}"` };
  };
  const bounded = await createJsonRpcServer({
    ...{ http: loopback, dispatch: large, limits: { repliesBytes: 60_000_000 } },
    log: { ...silent, warn: (fields) => void warnings.push(fields) },
  });
  const address = bounded.httpUrl ?? "";
  const batch = JSON.stringify(Array.from({ length: 10 }, (_, id) => ({ jsonrpc: "2.0", id, method: "large" })));
  const deaf = Array.from({ length: 12 }, () => deafPeer(address, batch, 20));
  const ends = deaf.map((socket) => once(socket, "close"));
  while (warnings.length < 6) {
    const response = await fetch(address, { method: "POST", body: call("small"), headers: JSON_TYPE });
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { jsonrpc: "2.0", id: 1, result: 1 });
  }
  // Of 2,400 calls: what the system buffers of a connection takes in, and one batch more.
  assert.ok(called < 800, `${called} calls`);
  for (const socket of deaf) socket.destroy();
  await Promise.all(ends);
  const whole = await fetch(address, { method: "POST", body: batch, headers: JSON_TYPE });
  assert.equal(((await whole.json()) as unknown[]).length, 10);
  await bounded.close();
});

test("pipelined requests are answered in their order, and not too many of them wait", async () => {
  const order: unknown[] = [];
  const slow: Dispatch = async (_, params) => {
    await new Promise(setImmediate);
    order.push(params);
    return { ok: true, json: JSON.stringify(params) };
  };
  const server = await createJsonRpcServer({ http: loopback, dispatch: slow, log: silent });
  const socket = connect(Number(new URL(server.httpUrl ?? "").port), "127.0.0.1");
  const bodies = Array.from({ length: 300 }, (_, index) => call("x", [index]));
  const head = "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
  socket.write(bodies.map((body) => `${head}content-length: ${body.length}\r\n\r\n${body}`).join(""));
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  const results = [...text.matchAll(/"result":\[(\d+)\]/g)].map(([, digits]) => Number(digits));
  assert.deepEqual(
    results,
    Array.from({ length: results.length }, (_, index) => index),
  );
  assert.ok(results.length >= 256 && results.length < 300, `${results.length} answered`);
  assert.match(text, /503 Service Unavailable[\s\S]*too many pipelined requests/);
  assert.deepEqual(
    order,
    results.map((index) => [index]),
  );
  await server.close();
});

test("a call, its error, its crash", async () => {
  assert.deepEqual(await json(await post(call("echo", [1, "a"]))), { jsonrpc: "2.0", id: 1, result: [1, "a"] });
  assert.deepEqual(await json(await post(call("later"))), { jsonrpc: "2.0", id: 1, result: "later" });
  const error = { code: 3, message: "execution reverted", data: "0x" };
  assert.deepEqual(await json(await post(call("fail"))), { jsonrpc: "2.0", id: 1, error });
  const crash = await (await post(call("crash"))).text();
  assert.deepEqual(JSON.parse(crash), { jsonrpc: "2.0", id: 1, error: { code: -32603, message: "internal error" } });
});

test("a call that takes too long answers -32002", async () => {
  const error = { code: -32002, message: "request timed out" };
  assert.deepEqual(await json(await post(call("hang"))), { jsonrpc: "2.0", id: 1, error });
});

test("batches keep their order and skip notifications", async () => {
  const batch = ["later", "echo", "nope"].map((method, i) => ({ jsonrpc: "2.0", id: i, method }));
  const reply = await json(await post(JSON.stringify([...batch, { jsonrpc: "2.0", method: "echo" }, 5])));
  assert.ok(Array.isArray(reply));
  assert.deepEqual(
    reply.map((item: { id: unknown }) => item.id),
    [0, 1, 2, null],
  );
});

test("a batch beyond the response limit answers -32003 for the rest", async () => {
  const batch = Array.from({ length: 6 }, (_, id) => ({ jsonrpc: "2.0", id, method: "big" }));
  const reply = (await json(await post(JSON.stringify(batch)))) as { result?: string; error?: { code: number } }[];
  assert.deepEqual(
    reply.map((item) => item.error?.code ?? "ok"),
    ["ok", "ok", -32003, -32003, -32003, -32003],
  );
});

test("notifications get an empty body", async () => {
  for (const body of ['{"jsonrpc":"2.0","method":"echo"}', '[{"jsonrpc":"2.0","method":"echo"}]']) {
    const response = await post(body);
    assert.equal(response.status, 200);
    assert.equal(await response.text(), "");
  }
});

test("methods, paths and content types", async () => {
  assert.equal((await fetch(url)).status, 200);
  assert.equal((await fetch(url, { method: "HEAD" })).status, 200);
  assert.equal((await fetch(url, { method: "PUT", body: "{}" })).status, 405);
  assert.equal((await fetch(`${url}?x=1`)).status, 415);
  assert.equal((await fetch(`${url}/other`)).status, 404);
  assert.equal((await post("{}", { "content-type": "text/plain" })).status, 415);
  assert.equal((await post(call("echo"), { "content-type": "application/json; charset=utf-8" })).status, 200);
});

test("bodies above the limit answer 413, declared or not", async () => {
  assert.equal((await post("x".repeat(20_001))).status, 413);
  const chunked = new ReadableStream({
    start(controller) {
      for (let i = 0; i < 30; i++) controller.enqueue(new Uint8Array(1000));
      controller.close();
    },
  });
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", body: chunked, headers, duplex: "half" } as RequestInit);
  assert.equal(response.status, 413);
});

test("bodies above the shared bound answer 503, and the room comes back", async () => {
  const { port } = new URL(url);
  const head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 19000\r\n\r\n";
  const slow = connect(Number(port), "127.0.0.1");
  await new Promise((resolve) => slow.write(head + "x".repeat(18_000), resolve));
  let status = 0;
  for (let i = 0; status !== 503; i++) {
    assert.ok(i < 1000, "the slow body counts");
    status = (await post("x".repeat(19_000))).status;
  }
  slow.destroy();
  for (let i = 0; status !== 200; i++) {
    assert.ok(i < 1000, "the slow body is forgotten");
    status = (await post("x".repeat(19_000))).status;
  }
});

test("bad JSON and bad UTF-8 answer -32700 with id null", async () => {
  for (const body of ["{", new Uint8Array([0x22, 0xff, 0x22])]) {
    const reply = await json(await post(body));
    assert.deepEqual(reply, { jsonrpc: "2.0", id: null, error: { code: -32700, message: "parse error" } });
  }
});

function raw(headers: Record<string, string>, method = "POST"): Promise<{ status?: number; cors?: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status?: number; cors?: string }>();
  const outgoing = request(url, { method, headers: { ...JSON_TYPE, ...headers } }, (response) => {
    response.resume();
    const cors = response.headers["access-control-allow-origin"];
    const status = response.statusCode;
    resolve({ ...(status === undefined ? {} : { status }), ...(cors === undefined ? {} : { cors }) });
  });
  outgoing.on("error", reject);
  outgoing.end(method === "POST" ? call("echo") : undefined);
  return promise;
}

test("foreign hosts and origins are refused, allowed pages get CORS", async () => {
  assert.equal((await raw({ host: "evil.example" })).status, 403);
  assert.equal((await raw({ host: "localhost:1" })).status, 200);
  assert.equal((await raw({ origin: "https://evil.example" })).status, 403);
  assert.deepEqual(await raw({ origin: "http://localhost:3000" }), { status: 200, cors: "http://localhost:3000" });
  assert.deepEqual(await raw({ origin: "chrome-extension://abc" }), { status: 200 });
  const preflight = { origin: "http://localhost:3000", "access-control-request-method": "POST" };
  assert.deepEqual(await raw(preflight, "OPTIONS"), { status: 204, cors: "http://localhost:3000" });
});

test("the token: passed on when right, 401 when wrong", async () => {
  const { result } = (await json(await post(call("who"), { authorization: "Bearer good" }))) as { result: unknown };
  assert.deepEqual(result, ["http", "Bearer good", null]);
  assert.equal((await post(call("who"), { authorization: "Bearer bad" })).status, 401);
});

test("whatever bytes are posted, the answer is JSON and the server lives", async () => {
  const call = fc.record({
    jsonrpc: fc.constant("2.0"),
    id: fc.jsonValue(),
    method: fc.string(),
    params: fc.jsonValue(),
  });
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 64 }).map((bytes) => new Uint8Array(bytes)),
    fc.json(),
    fc.array(call, { maxLength: 5 }).map((calls) => JSON.stringify(calls)),
    fc.nat({ max: 300 }).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
  );
  await fc.assert(
    fc.asyncProperty(body, async (sent) => {
      const response = await post(sent);
      assert.equal(response.status, 200);
      const text = await response.text();
      if (text !== "") JSON.parse(text);
    }),
    { numRuns: 300 },
  );
});

test("a taken port is a typed error that names the address", async () => {
  const { port } = new URL(url);
  const taken = createJsonRpcServer({ http: { host: "127.0.0.1", port: Number(port) }, dispatch, log: silent });
  await assert.rejects(taken, (error) => {
    assert.ok(error instanceof ListenError);
    assert.equal(error.code, "address-in-use");
    assert.equal(error.address, `127.0.0.1:${port}`);
    return true;
  });
});

test("closing frees the port within a second despite idle and hanging peers", async () => {
  const other = await createJsonRpcServer({ http: loopback, ws: loopback, dispatch, log: silent });
  const { port } = new URL(other.httpUrl ?? "");
  const idle = connect(Number(port), "127.0.0.1");
  idle.on("error", () => undefined);
  await new Promise((resolve) => idle.once("connect", resolve));
  const body = call("hang");
  const hanging = fetch(other.httpUrl ?? "", { method: "POST", body, headers: { "content-type": "application/json" } });
  const failed = assert.rejects(hanging);
  const socket = new WebSocket(other.wsUrl ?? "");
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  const started = performance.now();
  await other.close();
  assert.ok(performance.now() - started < 1000);
  await failed;
});
