import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { WebSocket } from "ws";
import { createJsonRpcServer, type Dispatch, type JsonRpcServer, type SubscriptionSink } from "./index.ts";

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const sinks: SubscriptionSink[] = [];

const dispatch: Dispatch = async (method, params, { subscriptions }) => {
  if (method === "subscribe" && subscriptions !== undefined) {
    sinks.push(subscriptions);
    subscriptions.notify('{"early":1}');
    return { ok: true, json: '"0x1"' };
  }
  if (method === "hang") return new Promise(() => undefined);
  return { ok: true, json: JSON.stringify(params ?? null) };
};

let server: JsonRpcServer;
before(async () => {
  const limits = {
    bodyBytes: 10_000,
    wsQueueBytes: 100_000,
    wsQueuesBytes: 400_000,
    wsCallsInFlight: 4,
    callTimeoutMs: 20,
  };
  const at = { host: "127.0.0.1", port: 0 };
  const authenticate = (header: string): boolean => header === "Bearer good";
  server = await createJsonRpcServer({ ws: at, dispatch, limits, authenticate, log: silent });
});
after(() => server.close());

async function open(options: { headers?: Record<string, string> } = {}): Promise<WebSocket> {
  const socket = new WebSocket(server.wsUrl ?? "", options);
  await once(socket, "open");
  return socket;
}

function messages(socket: WebSocket, count: number): Promise<unknown[]> {
  const { promise, resolve } = Promise.withResolvers<unknown[]>();
  const seen: unknown[] = [];
  socket.on("message", (data) => {
    seen.push(JSON.parse(String(data)));
    if (seen.length === count) resolve(seen);
  });
  return promise;
}

const call = (id: unknown, method: string, params?: unknown) => JSON.stringify({ jsonrpc: "2.0", id, method, params });

test("calls, batches and string ids over one socket", async () => {
  const socket = await open();
  const seen = messages(socket, 2);
  socket.send(call("a", "echo", [1]));
  socket.send(`[${call(1, "echo")},${call(2, "echo")}]`);
  const [single, batch] = await seen;
  assert.deepEqual(single, { jsonrpc: "2.0", id: "a", result: [1] });
  assert.ok(Array.isArray(batch) && batch.length === 2);
  socket.terminate();
});

test("the reply precedes the first notification", async () => {
  const socket = await open();
  const seen = messages(socket, 3);
  socket.send(call(1, "subscribe"));
  await once(socket, "message");
  assert.equal(sinks.at(-1)?.notify('{"late":1}'), true);
  assert.deepEqual(await seen, [{ jsonrpc: "2.0", id: 1, result: "0x1" }, { early: 1 }, { late: 1 }]);
  socket.terminate();
});

test("a sink learns that its connection ended", async () => {
  const socket = await open();
  socket.send(call(1, "subscribe"));
  await once(socket, "message");
  const sink = sinks.at(-1);
  assert.ok(sink);
  const closed = new Promise<void>((resolve) => sink.onClose(resolve));
  socket.terminate();
  await closed;
  assert.equal(sink.notify("{}"), false);
  let late = false;
  sink.onClose(() => {
    late = true;
  });
  assert.equal(late, true);
});

test("a message whose body is shared arrives whole, in its place", async () => {
  const socket = await open();
  const seen = messages(socket, 4);
  socket.send(call(1, "subscribe"));
  await once(socket, "message");
  const body = Buffer.from(JSON.stringify("é".repeat(30_000)));
  sinks.at(-1)?.notify({ head: '{"shared":', body, tail: "}" });
  sinks.at(-1)?.notify('{"late":1}');
  assert.deepEqual((await seen).slice(2), [{ shared: "é".repeat(30_000) }, { late: 1 }]);
  socket.terminate();
});

test("connections that read nothing are cut when all queues together are full, a reading one is not", async () => {
  const reading = await open();
  const lazy = await Promise.all(Array.from({ length: 12 }, () => open()));
  const own: SubscriptionSink[] = [];
  for (const socket of [...lazy, reading]) {
    socket.send(call(1, "subscribe"));
    await once(socket, "message");
    own.push(sinks.at(-1) as SubscriptionSink);
  }
  for (const socket of lazy) socket.pause();
  const body = Buffer.alloc(66_000, "x");
  const message = { head: '"', body, tail: '"' };
  const cut = new Set<number>();
  for (let round = 0; cut.size < lazy.length; round++) {
    assert.ok(round < 20_000, "the queues are bounded");
    for (const [index, sink] of own.entries()) {
      if (index < lazy.length ? !sink.notify(message) : round % 100 === 0 && !sink.notify('{"small":1}'))
        cut.add(index);
    }
    await new Promise(setImmediate);
  }
  assert.ok(!cut.has(lazy.length));
  const closed = lazy.map((socket) => once(socket, "close"));
  for (const socket of lazy) socket.resume();
  for (const [code, reason] of await Promise.all(closed))
    assert.deepEqual([code, /slow/.test(String(reason))], [1013, true]);
  assert.equal(reading.readyState, reading.OPEN);
  reading.terminate();
});

test("a slow consumer is cut with a reason, another one is not", async () => {
  const slow = await open();
  const other = await open();
  slow.send(call(1, "subscribe"));
  await once(slow, "message");
  const sink = sinks.at(-1);
  slow.pause();
  const text = JSON.stringify("x".repeat(50_000));
  let sent = 0;
  while (sink?.notify(text) === true) {
    assert.ok(++sent < 10_000, "the queue is bounded");
    await new Promise(setImmediate);
  }
  const closed = once(slow, "close");
  slow.resume();
  const [code, reason] = await closed;
  assert.equal(code, 1013);
  assert.match(String(reason), /slow consumer/);
  const seen = messages(other, 1);
  other.send(call(1, "echo"));
  await seen;
  other.terminate();
});

test("more calls in flight than allowed wait their turn", async () => {
  const socket = await open();
  const seen = messages(socket, 12);
  for (let i = 0; i < 12; i++) socket.send(call(i, "hang"));
  const replies = (await seen) as { id: number; error: { code: number } }[];
  assert.deepEqual(
    replies.map((reply) => reply.error.code),
    Array(12).fill(-32002),
  );
  socket.terminate();
});

test("a message above the limit closes with 1009", async () => {
  const socket = await open();
  const closed = once(socket, "close");
  socket.send("x".repeat(10_001));
  assert.equal((await closed)[0], 1009);
});

test("upgrades: wrong token 401, foreign origin 403, plain request 426", async () => {
  const status = async (headers: Record<string, string>): Promise<number | undefined> => {
    const socket = new WebSocket(server.wsUrl ?? "", { headers });
    const [, response] = await once(socket, "unexpected-response");
    socket.on("error", () => undefined);
    response.destroy();
    return response.statusCode;
  };
  assert.equal(await status({ authorization: "Bearer bad" }), 401);
  assert.equal(await status({ origin: "https://evil.example" }), 403);
  (await open({ headers: { authorization: "Bearer good", origin: "http://localhost" } })).terminate();
  assert.equal((await fetch((server.wsUrl ?? "").replace("ws:", "http:"))).status, 426);
});

test("a message that is begun and not ended closes its connection, pings and idle ones stay", async () => {
  const half = await open();
  const idle = await open();
  const seen = messages(half, 1);
  half.send(call(1, "echo"));
  await seen;
  half.send('{"jsonrpc":"2.0",', { fin: false });
  const timer = setInterval(() => {
    for (const socket of [half, idle]) socket.ping("keep-alive");
  }, 20);
  const [code, reason] = await once(half, "close");
  clearInterval(timer);
  assert.equal(code, 1008);
  assert.equal(String(reason), "a message took too long to arrive");
  const alive = messages(idle, 1);
  idle.send(call(2, "echo"));
  await alive;
  idle.terminate();
});
