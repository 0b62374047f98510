import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { createServiceClient, ServiceProblem, ServiceUnreachable, StateNotReached } from "./index.ts";

/** A server that answers as told: what the client makes of answers, faults included. */
async function serve(t: TestContext, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return createServiceClient({ url: `http://127.0.0.1:${address.port}`, token: "secret", timeoutMs: 2_000 });
}

function json(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

test("a problem becomes a typed error", async (t) => {
  const client = await serve(t, (_request, response) => {
    const errors = [{ pointer: "/chain_id", code: "required", detail: "is required" }];
    const headers = { "x-request-id": "r1", "retry-after": "7" };
    json(response, 422, { code: "invalid-body", detail: "why", errors }, headers);
  });
  await assert.rejects(client.status(), (error: unknown) => {
    assert.ok(error instanceof ServiceProblem);
    assert.equal(error.code, "invalid-body");
    assert.equal(error.status, 422);
    assert.equal(error.errors[0]?.pointer, "/chain_id");
    assert.equal(error.message, "why\n  /chain_id is required");
    assert.equal(error.requestId, "r1");
    assert.equal(error.retryAfterSeconds, 7);
    return true;
  });
});

test("what is missing of a price is in the message", async (t) => {
  const body = { code: "insufficient-balance", detail: "why", required: "35", available: "7" };
  const client = await serve(t, (_request, response) => json(response, 402, body));
  await assert.rejects(client.status(), { message: "why\n  required 35 wei, available 7 wei" });
});

test("an answer that is no problem of the service is `unknown`", async (t) => {
  const client = await serve(t, (_request, response) => response.writeHead(502).end("<html>"));
  await assert.rejects(client.status(), (error) => error instanceof ServiceProblem && error.code === "unknown");
});

test("field errors of any shape make a problem, not a failure", async (t) => {
  const client = await serve(t, (_request, response) => json(response, 422, { errors: [null, 1, {}, "x"] }));
  await assert.rejects(client.status(), ServiceProblem);
});

test("no answer is ServiceUnreachable", async () => {
  const client = createServiceClient({ url: "http://127.0.0.1:1", token: "secret" });
  await assert.rejects(client.status(), ServiceUnreachable);
});

test("submitting sends token, body and preference", async (t) => {
  const client = await serve(t, async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { method, url, headers } = request;
    json(response, 202, {
      method,
      url,
      authorization: headers.authorization,
      prefer: headers.prefer,
      body: JSON.parse(text),
    });
  });
  const echoed: unknown = await client.submitProof({ proof_data: "p", chain_id: "c" }, { waitSeconds: 3 });
  assert.deepEqual(echoed, {
    method: "POST",
    url: "/v1/submit-proof",
    authorization: "Bearer secret",
    prefer: "wait=3",
    body: { proof_data: "p", chain_id: "c" },
  });
});

test("waitFor polls with the version it knows until the state is reached", async (t) => {
  const states = ["received", undefined, "verified", "settled"];
  const seen: (string | undefined)[] = [];
  const client = await serve(t, (request, response) => {
    const state = states[seen.length];
    seen.push(request.headers["if-none-match"]);
    if (state === undefined) response.writeHead(304).end();
    else json(response, 200, { id: "0x1", state }, { etag: `"${state}"` });
  });
  assert.equal((await client.waitFor("0x1", "batched")).state, "settled");
  assert.deepEqual(seen, [undefined, '"received"', '"received"', '"verified"']);
});

test("waitFor ends on a rejection and at its deadline", async (t) => {
  let state = "rejected";
  const client = await serve(t, (_request, response) => json(response, 200, { id: "0x1", state }));
  const reason = (expected: string) => (error: unknown) =>
    error instanceof StateNotReached && error.reason === expected;
  await assert.rejects(client.waitFor("0x1", "final"), reason("rejected"));
  state = "received";
  await assert.rejects(client.waitFor("0x1", "final", { timeoutMs: 50 }), reason("timeout"));
});

test("a key is sent as a quoted string with every call that makes something", async (t) => {
  const keys: unknown[] = [];
  const client = await serve(t, (request, response) => {
    keys.push(request.headers["idempotency-key"]);
    json(response, 200, {});
  });
  const body = { proof_data: "p", chain_id: "c" };
  await client.submitProof(body, { idempotencyKey: 'a "b"\\' });
  await client.submitProofs([body], { idempotencyKey: "2", waitSeconds: 1 });
  await client.createWebhook({ url: "https://x" }, { idempotencyKey: "3" });
  await client.rotateWebhookSecret("wh_1", { idempotencyKey: "4" });
  await client.submitProof(body);
  assert.deepEqual(keys, ['"a \\"b\\"\\\\"', '"2"', '"3"', '"4"', undefined]);
});

test("a service that does not wait is not asked without pause", async (t) => {
  let asked = 0;
  const client = await serve(t, (request, response) => {
    asked += 1;
    if (request.headers["if-none-match"] === undefined) json(response, 200, { state: "received" }, { etag: '"1"' });
    else response.writeHead(304).end();
  });
  await assert.rejects(client.waitFor("0x1", "settled", { timeoutMs: 1_500 }), StateNotReached);
  assert.ok(asked <= 4, `${asked} times`);
});
