import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { ServiceProblem, serviceEvents } from "./index.ts";

/** A server that plays one script per connection; `seen` holds the `Last-Event-ID` of each. */
async function serve(t: TestContext, scripts: readonly ((response: ServerResponse) => void)[]) {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const script = scripts[seen.length];
    seen.push(request.headers["last-event-id"]?.toString());
    if (script === undefined) return void response.writeHead(401).end("{}");
    script(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return { seen, connection: { url: `http://127.0.0.1:${address.port}`, token: "secret" } };
}

const stream = (response: ServerResponse) => response.writeHead(200, { "content-type": "text/event-stream" });

test("events come in whatever chunks, comments and line ends are understood", async (t) => {
  const text =
    ': hello\r\n\r\nid: 1\r\nevent: submission.verified\r\ndata: {"a":\r\ndata: "ü"}\r\n\r\nid:2\ndata:3\n\n';
  const { connection } = await serve(t, [
    (response) => {
      stream(response);
      for (const byte of Buffer.from(text)) response.write(Buffer.from([byte]));
    },
  ]);
  const controller = new AbortController();
  const events = [];
  for await (const event of serviceEvents(connection, { signal: controller.signal })) {
    if (events.push(event) === 2) controller.abort();
  }
  assert.deepEqual(events, [
    { id: "1", type: "submission.verified", data: { a: "ü" } },
    { id: "2", type: "message", data: 3 },
  ]);
});

test("a connection that ends is resumed after the last event; a refusal ends the iteration", async (t) => {
  const { connection, seen } = await serve(t, [
    (response) => stream(response).end("id: 7\ndata: 1\n\nid: 8\ndata: not yet who"),
    (response) => stream(response).end("id: 8\ndata: 2\n\n"),
  ]);
  const data: unknown[] = [];
  await assert.rejects(async () => {
    for await (const event of serviceEvents(connection, { lastEventId: "6", retryMs: 1 })) data.push(event.data);
  }, ServiceProblem);
  assert.deepEqual(data, [1, 2]);
  assert.deepEqual(seen, ["6", "7", "8"]);
});
