import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { call, post, proofCases, runService, TOKEN, temporaryHome, testLog, until } from "../testing/fixture.ts";

const [valid] = proofCases().filter((item) => item.expected === "valid");
const [invalid] = proofCases().filter((item) => item.expected === "invalid-proof");
assert.ok(valid && invalid);
const body = (o: object = {}) => ({ proof_data: valid.proofData, chain_id: "eip155:59144", ...o });

test("a submission is stored, a repeat is the same one, on both paths", async (t) => {
  const service = await runService(t);
  const sent = body({ block_number: "0x1F", external_id: "mine", metadata: { a: [1] }, extra: true });
  const first = await post(service, "/submit-proof", sent);
  assert.equal(first.status, 202);
  assert.equal(first.body.block_number, "31");
  assert.equal(first.body.chain_id, "eip155:59144");
  assert.match(String(first.body.received_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(first.headers.get("location"), `/v1/proofs/${first.body.id}`);
  assert.equal(first.body.status_url, first.headers.get("location"));
  assert.deepEqual(first.body.warnings, [{ pointer: "/extra", detail: "unknown member, ignored" }]);
  const again = await post(service, "/v1/submit-proof", { ...sent, block_number: "31", chain_id: "EIP155:59144" });
  assert.equal(again.status, 200);
  assert.equal(again.body.id, first.body.id);
  assert.equal(again.body.duplicate, true);
  const read = await call(service, `/proofs/${first.body.id}`);
  assert.deepEqual(read.body.metadata, { a: [1] });
  assert.equal(read.body.external_id, "mine");
});

test("verdicts: valid is verified and batched, false is rejected with its code", async (t) => {
  const service = await runService(t);
  const wait = { prefer: "wait=20" };
  const good = await post(service, "/v1/submit-proof", body(), wait);
  assert.equal(good.status, 202);
  assert.notEqual(good.body.state, "received");
  assert.equal(good.headers.get("preference-applied"), "wait=20");
  const bad = await post(service, "/v1/submit-proof", { ...body(), proof_data: invalid.proofData }, wait);
  assert.equal(bad.body.state, "rejected");
  assert.equal((bad.body.error as { code: string }).code, "invalid-proof");
  const bytes = await fetch(`${service.url}/v1/proofs/${good.body.id}/bytes`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  const digest = createHash("sha256")
    .update(new Uint8Array(await bytes.arrayBuffer()))
    .digest("hex");
  const batched = await until("it is batched", async () => {
    const read = await call(service, `/v1/proofs/${good.body.id}`);
    return read.body.state === "batched" && read.body;
  });
  assert.equal(batched.proof_hash, `0x${digest}`);
  assert.deepEqual(batched.batch, { number: 1, index: 0, url: "/v1/batches/1" });
  const receipt = await call(service, `/v1/proofs/${good.body.id}/receipt`);
  assert.equal(receipt.status, 409);
  assert.equal(receipt.body.code, "not-yet");
  assert.equal(receipt.body.state, "batched");
  assert.equal((await call(service, "/v1/batches/1")).body.size, 1);
});

test("stateless verification answers the same verdicts", async (t) => {
  const service = await runService(t);
  for (const item of proofCases().slice(0, 40)) {
    const { status, body: verdict } = await post(service, "/v1/verify", { proof_data: item.proofData });
    assert.equal(status, 200);
    const code = verdict.valid === true ? "valid" : (verdict.error as { code: string }).code;
    assert.ok([item.expected, ...(item.alsoAccepted ?? [])].includes(code), `${item.id}: ${code}`);
  }
  assert.deepEqual((await call(service, "/v1/proofs")).body, { items: [] });
});

const jsonIn = (charset: string) => ({ "content-type": `application/json; charset=${charset}` });

test("plain encodings, times of RFC 3339 and members of one name in different places are taken", async (t) => {
  const service = await runService(t);
  const plain = { "content-encoding": "Identity", ...jsonIn("UTF-8") };
  const text = JSON.stringify({
    ...body({ metadata: [{ a: { a: ':"' } }, { a: "\\" }, { '"a":': 1 }, JSON.parse('{"__proto__":1}')] }),
    chain_id: "same-names",
  });
  assert.equal((await post(service, "/v1/submit-proof", text, plain)).status, 202);
  for (const since of ["2026-11-21T00:00:00Z", "1970-01-01t00:00:00.5z", "2024-02-29T23:59:59%2B01:00"]) {
    assert.equal((await call(service, `/v1/proofs?since=${since}`)).status, 200, since);
  }
});

test("public routes answer without a token; a sent request id comes back", async (t) => {
  const service = await runService(t);
  for (const path of ["/healthz", "/metrics", "/openapi.json", "/v1/batches", "/batches", "/v1/anchors"]) {
    const answer = await call(service, path, { headers: { authorization: "", "x-request-id": "my-id" } });
    assert.equal(answer.status, 200, path);
    assert.equal(answer.headers.get("x-request-id"), "my-id");
  }
  const { body: metrics } = await call(service, "/metrics");
  assert.match(String(metrics.text), /^cairn_http_requests_total\{status="2xx"\} \d+$/m);
});

test("status tells what is reachable", async (t) => {
  const service = await runService(t);
  const { body: status } = await call(service, "/v1/status");
  assert.equal(status.status, "ok");
  assert.equal(status.environment, "sandbox");
  assert.equal((status.chain as { reachable: boolean }).reachable, false);
  assert.equal((status.anchor as { reachable: boolean; network: string }).network, "regtest");
  assert.equal((status.anchor as { reachable: boolean }).reachable, true);
});

test("ETag: unchanged is 304, a change is awaited", async (t) => {
  const service = await runService(t);
  const { body: sent } = await post(service, "/v1/submit-proof", { ...body(), proof_data: "?" }, { prefer: "wait=20" });
  assert.equal((sent.error as { code: string }).code, "unrecognised-format");
  const path = `/v1/proofs/${sent.id}`;
  const first = await call(service, path);
  const etag = first.headers.get("etag") ?? "";
  assert.equal((await call(service, path, { headers: { "if-none-match": etag } })).status, 304);
  const waiting = call(service, path, { headers: { "if-none-match": etag, prefer: "wait=20" } });
  const again = await post(service, "/v1/submit-proof", { ...body(), proof_data: "?" });
  assert.equal(again.status, 202, "a retryable rejection is queued again");
  assert.equal(again.body.id, sent.id);
  const changed = await waiting;
  assert.equal(changed.status, 200);
  assert.notEqual(changed.headers.get("etag"), etag);
});

test("a page at a time, newest first, none twice", async (t) => {
  const service = await runService(t);
  const ids: unknown[] = [];
  for (let n = 0; n < 5; n += 1)
    ids.push((await post(service, "/submit-proof", body({ block_number: `${n}` }))).body.id);
  const seen: unknown[] = [];
  let path = "/v1/proofs?limit=2&chain_id=EIP155:59144";
  for (;;) {
    const { body: page, headers } = await call(service, path);
    seen.push(...(page.items as { id: string }[]).map((item) => item.id));
    if (page.next_cursor === undefined) break;
    path = /^<(.+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1] ?? "";
  }
  assert.deepEqual(seen, ids.reverse());
});

test("beyond the burst a key waits; the headers say how long", async (t) => {
  const service = await runService(t, { submissionsPerMinute: 60 });
  const answers = await Promise.all(Array.from({ length: 310 }, (_, n) => post(service, "/submit-proof", { n })));
  const limited = answers.filter((answer) => answer.status === 429);
  assert.ok(limited.length >= 5 && limited.length <= 10);
  assert.equal(limited[0]?.body.code, "rate-limited");
  assert.match(limited[0]?.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  assert.equal(answers[0]?.headers.get("ratelimit-policy"), '"submissions";q=60;w=60');
});

test("any body is answered with 200, 202, 400 or 422, never with 500", async (t) => {
  const service = await runService(t);
  const anyBody = fc.oneof(
    fc.json(),
    fc.string(),
    fc.record({ proof_data: fc.string(), chain_id: fc.string(), block_number: fc.string(), metadata: fc.jsonValue() }),
  );
  await fc.assert(
    fc.asyncProperty(anyBody, async (sent) => {
      const { status, body: answer } = await post(service, "/submit-proof", sent);
      assert.ok([200, 202, 400, 422].includes(status), JSON.stringify(answer));
    }),
    { numRuns: 300 },
  );
});

test("what was acknowledged survives a restart, and close takes under three seconds", async (t) => {
  const home = temporaryHome(t);
  const service = await runService(t, { home });
  const { body: sent } = await post(service, "/submit-proof", body());
  const open = call(service, `/v1/proofs/${sent.id}`, { headers: { prefer: "wait=30", "if-none-match": '"99"' } });
  const started = performance.now();
  await Promise.all([service.close(), open.catch(() => {})]);
  assert.ok(performance.now() - started < 3_000);
  const again = await runService(t, { home });
  const { body: read } = await call(again, `/v1/proofs/${sent.id}`);
  assert.equal(read.id, sent.id);
});

test("a store that takes no writes is 503 with Retry-After, and nothing is half done", async (t) => {
  const home = temporaryHome(t);
  const errors: string[] = [];
  const service = await runService(t, {
    home,
    log: { ...testLog, error: (_fields, message) => void errors.push(message) },
  });
  const other = new DatabaseSync(join(home, "service/service.db"), { timeout: 10_000 });
  other.exec("BEGIN IMMEDIATE");
  const refused = await post(service, "/submit-proof", body());
  assert.equal(refused.status, 503);
  assert.equal(refused.body.code, "unavailable");
  assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  assert.doesNotMatch(JSON.stringify(refused.body), /sqlite|database|\.db/i);
  assert.ok(errors.includes("a request failed"));
  other.exec("ROLLBACK");
  other.close();
  assert.deepEqual((await call(service, "/v1/proofs")).body, { items: [] });
  assert.equal((await post(service, "/submit-proof", body())).status, 202);
});

test("a broken HTTP request is answered with a problem and closed", async (t) => {
  const service = await runService(t);
  const tooLong = `GET /healthz HTTP/1.1\r\nx: ${"a".repeat(70_000)}\r\n\r\n`;
  for (const request of ["GET / HTTP/9\r\n\r\n", "FOO / HTTP/1.1\r\n\r\n", tooLong]) {
    const [head = "", content = ""] = (await rawRequest(t, service.url, request)).split("\r\n\r\n");
    assert.match(head, /^HTTP\/1\.1 400 /);
    assert.match(head, /content-type: application\/problem\+json/);
    assert.equal(JSON.parse(content).code, "invalid-request");
  }
});

async function rawRequest(t: TestContext, url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  socket.end(request);
  return text(socket);
}
