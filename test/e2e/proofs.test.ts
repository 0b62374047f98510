/** The main job on real input: every Groth16 case ends with its verdict, valid ones become final, receipts verify. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { groth16Cases, type ProofCase, proofData } from "../vectors.ts";
import { type SandboxProcess, startSandbox } from "./cairn-process.ts";
import { call, reached, submit } from "./service-client.ts";

let sandbox: SandboxProcess;
before(async () => {
  sandbox = await startSandbox();
});
after(async () => {
  assert.equal(await sandbox.stop(), 0, "a clean stop");
});

const { cases, complete } = groth16Cases();
const [example] = cases.filter((item) => item.expected === "valid");

async function verdictOf(item: ProofCase): Promise<string> {
  const answer = await submit(sandbox.ready, { proof_data: proofData(item), chain_id: "e2e", block_number: "7" });
  assert.ok(answer.status === 202 || answer.status === 200, `${item.id}: ${answer.status}`);
  const end = await reached(sandbox.ready, answer.body.id, "settled");
  return end.state === "rejected" ? (end.error?.code ?? "no code") : "valid";
}

test(`every case of the set (${cases.length}) ends with its expected verdict`, async (t) => {
  if (!complete) t.diagnostic("CAIRN_VECTORS is not set: third parties' cases are left out");
  const verdicts = await Promise.all(cases.map(verdictOf));
  const wrong = cases.flatMap((item, i) => {
    const got = verdicts[i] ?? "none";
    return [item.expected, ...(item.alsoAccepted ?? [])].includes(got)
      ? []
      : [`${item.id}: ${got}, not ${item.expected}`];
  });
  assert.deepEqual(wrong, []);
});

test("a proof goes through every state to final, and the same proof again is the same submission", async () => {
  assert.ok(example);
  const body = { proof_data: proofData(example), chain_id: "e2e-final", block_number: "0x10" };
  const first = await submit(sandbox.ready, body, "/submit-proof");
  assert.equal(first.status, 202);
  assert.equal(first.headers.get("location"), `/v1/proofs/${first.body.id}`);
  assert.equal(first.body.block_number, "16");
  const again = await submit(sandbox.ready, body);
  assert.equal(again.status, 200);
  assert.equal(again.body.id, first.body.id);
  assert.equal(again.body.duplicate, true);
  await reached(sandbox.ready, first.body.id, "final");
  const { body: end } = await call(sandbox.ready, `/v1/proofs/${first.body.id}`);
  const history = end.history as readonly { readonly state: string; readonly at: string }[];
  assert.deepEqual(
    history.map((step) => step.state),
    ["received", "verified", "batched", "settled", "anchored", "final"],
  );
  assert.deepEqual(
    history.map((step) => step.at),
    history.map((step) => step.at).sort(),
  );
});

test("status answers with a token, on both paths", async () => {
  for (const path of ["/status", "/v1/status"]) {
    const { status, body } = await call(sandbox.ready, path);
    assert.equal(status, 200);
    assert.equal(body.status, "ok");
    assert.equal(body.environment, "sandbox");
  }
});

const REFUSALS: readonly (readonly [string, RequestInit, number, string])[] = [
  ["no token", { headers: { authorization: "" } }, 401, "unauthorized"],
  ["a wrong token", { headers: { authorization: "Bearer cairn_sbx_000000000000_00" } }, 401, "unauthorized"],
  ["malformed JSON", { body: "{" }, 400, "malformed-json"],
  ["a missing field", { body: '{"chain_id":"x"}' }, 422, "invalid-body"],
  ["a field of the wrong type", { body: '{"chain_id":"x","proof_data":{}}' }, 422, "invalid-body"],
];

for (const [what, init, status, code] of REFUSALS) {
  test(`refused with ${status}: ${what}`, async () => {
    const answer = await call(sandbox.ready, "/v1/submit-proof", {
      method: "POST",
      body: '{"chain_id":"x","proof_data":"y"}',
      ...init,
      headers: { "content-type": "application/json", ...init.headers },
    });
    assert.equal(answer.status, status);
    assert.equal(answer.body.code, code);
    assert.match(answer.headers.get("content-type") ?? "", /^application\/problem\+json/);
    assert.ok(answer.headers.get("x-request-id"));
  });
}
