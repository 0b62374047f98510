import assert from "node:assert/strict";
import { test } from "node:test";
import { call, post, runService, temporaryHome } from "../testing/fixture.ts";

const body = (n: number) => ({
  proof_data: JSON.stringify({ system: "commitment", encoding: "hex", proof: `0x${n.toString(16).padStart(64, "0")}` }),
  chain_id: "idempotent",
});
const keyed = (key: string) => ({ "idempotency-key": key });
const PATH = "/v1/submit-proof";

test("the same key and body are answered with the first answer, also after a restart", async (t) => {
  const home = temporaryHome(t);
  const service = await runService(t, { home });
  const first = await post(service, PATH, body(1), keyed('"a"'));
  assert.equal(first.status, 202);
  assert.equal(first.headers.get("idempotency-replayed"), null);
  await service.close();
  const again = await runService(t, { home });
  for (const key of ['"a"', "a"]) {
    const replay = await post(again, "/submit-proof", body(1), keyed(key));
    assert.equal(replay.status, 202);
    assert.deepEqual(replay.body, first.body, "not a duplicate: the first answer");
    assert.equal(replay.headers.get("location"), first.headers.get("location"));
    assert.equal(replay.headers.get("content-type"), first.headers.get("content-type"));
    assert.equal(replay.headers.get("idempotency-replayed"), "true");
  }
  const plain = await post(again, PATH, body(1));
  assert.equal(plain.status, 200);
  assert.equal(plain.body.duplicate, true);
});

test("another body or path under the key is refused and changes nothing; refusals are not kept", async (t) => {
  const service = await runService(t);
  assert.equal((await post(service, PATH, { chain_id: 1 }, keyed("k"))).status, 422);
  assert.equal((await post(service, PATH, body(1), keyed("k"))).status, 202, "the key is still free");
  for (const [path, sent] of [
    [PATH, body(2)],
    ["/v1/submit-proofs", { items: [body(1)] }],
  ] as const) {
    const refused = await post(service, path, sent, keyed("k"));
    assert.equal(refused.status, 422);
    assert.equal(refused.body.code, "idempotency-key-reused");
  }
  assert.equal(((await call(service, "/v1/proofs")).body.items as unknown[]).length, 1);
  const malformed = await post(service, PATH, body(3), keyed("two words"));
  assert.equal(malformed.status, 400);
  assert.equal(malformed.body.code, "invalid-idempotency-key");
});

test("a request under way holds its key: 409 to the same, 422 to another", async (t) => {
  const service = await runService(t);
  // A verdict takes a turn of the verifier: the first request waits for it.
  const all = await Promise.all(
    Array.from({ length: 8 }, () => post(service, PATH, body(1), { ...keyed("k"), prefer: "wait=5" })),
  );
  const statuses = all.map((answer) => answer.status);
  assert.ok(
    statuses.every((status) => status === 202 || status === 409),
    `${statuses}`,
  );
  assert.ok(statuses.includes(409));
  for (const answer of all.filter(({ status }) => status === 409)) {
    assert.equal(answer.body.code, "idempotency-in-progress");
    assert.equal(answer.headers.get("retry-after"), "1");
  }
  const replay = await post(service, PATH, body(1), keyed("k"));
  assert.deepEqual(replay.body, all.find(({ status }) => status === 202)?.body);
});

test("a batch is answered once for all its items", async (t) => {
  const service = await runService(t);
  const items = [body(1), {}, body(2)];
  const first = await post(service, "/v1/submit-proofs", { items }, keyed("k"));
  const again = await post(service, "/v1/submit-proofs", { items }, keyed("k"));
  assert.deepEqual(again.body, first.body);
  assert.deepEqual([again.body.accepted, again.body.refused], [2, 1]);
});
