import assert from "node:assert/strict";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import type { RunningService } from "../index.ts";
import { type Answer, call, post, proofCases, runService, temporaryHome, until } from "../testing/fixture.ts";

const [valid, , other] = proofCases().filter((item) => item.expected === "valid");
assert.ok(valid && other);
const commitment = (n: number) =>
  JSON.stringify({ system: "commitment", encoding: "hex", proof: `0x${n.toString(16).padStart(64, "0")}` });

const idsOf = (answer: Answer) => (answer.body.items as { id: string }[]).map((item) => item.id);
const codesOf = (answer: Answer) => (answer.body.errors as { parameter: string }[]).map((error) => error.parameter);

async function submitted(service: RunningService, body: object): Promise<string> {
  const answer = await post(service, "/v1/submit-proof", body, { prefer: "wait=20" });
  return String(answer.body.id);
}

test("each filter narrows the listing; a filter of a wrong form is named", async (t) => {
  const service = await runService(t);
  const before = new Date().toISOString();
  const a = await submitted(service, { proof_data: valid.proofData, chain_id: "Alpha", external_id: "x" });
  const b = await submitted(service, { proof_data: commitment(1), chain_id: "beta", external_id: "x" });
  const c = await submitted(service, { proof_data: "?", chain_id: "alpha", external_id: "" });
  const proof = (await call(service, `/v1/proofs/${a}`)).body;
  const list = async (query: string) => idsOf(await call(service, `/v1/proofs?${query}`));
  assert.deepEqual(await list(""), [c, b, a]);
  assert.deepEqual(await list("chain_id=ALPHA"), [c, a]);
  assert.deepEqual(await list("external_id=x"), [b, a]);
  assert.deepEqual(await list("external_id="), [c]);
  assert.deepEqual(await list("state=rejected"), [c]);
  assert.deepEqual(await list(`since=${before}`), [c, b, a]);
  assert.deepEqual(await list("since=2999-01-01T00:00:00Z"), []);
  assert.deepEqual(await list(`proof_hash=${proof.proof_hash}`), [a]);
  assert.deepEqual(await list(`statement=${String(proof.statement).toUpperCase().replace("0X", "0x")}`), [a]);
  assert.deepEqual(await list(`statement=${proof.statement}&chain_id=beta`), []);
  for (const [query, faults] of [
    ["state=done&limit=101", ["state", "limit"]],
    ["since=today&proof_hash=0x12&statement=x", ["proof_hash", "statement", "since"]],
    ["chain_id=-&cursor=AAAA", ["chain_id", "cursor"]],
    [`external_id=${"e".repeat(129)}`, ["external_id"]],
    ["state=final&state=settled", ["state"]],
    ["chainid=beta&__proto__=1", ["chainid", "__proto__"]],
    [`${"n".repeat(300)}=1`, ["n".repeat(64)]],
  ] as const) {
    const refused = await call(service, `/v1/proofs?${query}`);
    assert.equal(refused.status, 400, query);
    assert.equal(refused.body.code, "invalid-query");
    assert.deepEqual(codesOf(refused).sort(), [...faults].sort(), query);
  }
  const misspelt = await call(service, "/v1/proofs?chainid=beta");
  const detail = "is no parameter of this route; the nearest is chain_id";
  assert.deepEqual(misspelt.body.errors, [{ parameter: "chainid", code: "unknown-parameter", detail }]);
  const { status } = await call(service, "/v1/proofs/0x00?chainid=beta");
  assert.notEqual(status, 400, "a route that reads no parameters leaves them alone");
});

test("a cursor is good for its listing only, over restarts", async (t) => {
  const home = temporaryHome(t);
  const service = await runService(t, { home });
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) ids.push(await submitted(service, { proof_data: commitment(n), chain_id: "Cursor" }));
  const first = await call(service, "/v1/proofs?limit=1&chain_id=cursor");
  const cursor = String(first.body.next_cursor);
  await service.close();
  const again = await runService(t, { home });
  const next = (query: string) => call(again, `/v1/proofs?cursor=${cursor}${query}`);
  assert.deepEqual(idsOf(await next("&chain_id=CURSOR&limit=2")), [ids[1], ids[0]]);
  for (const query of ["", "&chain_id=other", "&chain_id=cursor&state=received"]) {
    assert.deepEqual(codesOf(await next(query)), ["cursor"], query);
  }
  assert.equal((await call(again, `/v1/batches?cursor=${cursor}`)).status, 400);
});

test("what can be kept has a tag, and is not sent again while it is the same", async (t) => {
  const service = await runService(t);
  const id = await submitted(service, { proof_data: valid.proofData, chain_id: "tags" });
  await until("it is batched", async () => (await call(service, "/v1/batches/1")).status === 200);
  await until("nothing moves", async () => (await call(service, `/v1/proofs/${id}`)).body.state === "batched");
  const paths = [`/v1/proofs/${id}`, "/v1/proofs", `/v1/proofs/${id}/bytes`, "/v1/batches", "/v1/batches/1"];
  for (const path of [...paths, "/v1/anchors", "/openapi.json"]) {
    const first = await call(service, path);
    const tag = first.headers.get("etag") ?? "";
    assert.match(tag, /^"[\w-]+"$/, path);
    assert.match(first.headers.get("cache-control") ?? "", /no-cache$/, path);
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
      const again = await call(service, path, { headers: { "if-none-match": known } });
      assert.equal(again.status, 304, `${path} ${known}`);
      assert.equal(again.headers.get("etag"), tag);
    }
    assert.equal((await call(service, path, { headers: { "if-none-match": '"x"' } })).status, 200);
  }
  const missing = await call(service, "/v1/batches/99", { headers: { "if-none-match": "*" } });
  assert.equal(missing.status, 404);
  assert.equal(missing.headers.get("cache-control"), "no-store");
});

test("registers name their next page as a link", async (t) => {
  const service = await runService(t);
  for (let n = 1; n <= 2; n += 1) {
    await submitted(service, { proof_data: commitment(n), chain_id: "links" });
    await until("a batch each", async () => (await call(service, `/v1/batches/${n}`)).status === 200);
  }
  const first = await call(service, "/batches?limit=1");
  const link = /^<(\/batches\?limit=1&cursor=[\w-]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1];
  const second = await call(service, link ?? "");
  assert.deepEqual(
    (second.body.items as { number: number }[]).map((batch) => batch.number),
    [1],
  );
  assert.equal(second.headers.get("link"), null);
});

test("a 304 has no body on the wire", async (t) => {
  const service = await runService(t);
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.write("GET /v1/batches HTTP/1.1\r\nhost: x\r\nif-none-match: *\r\nconnection: close\r\n\r\n");
  const [head = "", body] = (await text(socket)).split("\r\n\r\n");
  assert.match(head, /^HTTP\/1\.1 304 /);
  assert.equal(body, "");
});
