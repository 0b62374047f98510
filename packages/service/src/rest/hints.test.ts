/** What a caller is told beside the answer: members without effect, what never comes, which member is meant. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { call, post, runService, until } from "../testing/fixture.ts";

const PATH = "/v1/submit-proof";
const commitment = (n: number, o: object = {}) => ({
  proof_data: JSON.stringify({ system: "commitment", encoding: "hex", proof: `0x${n.toString(16).padStart(64, "0")}` }),
  chain_id: "hints",
  ...o,
});
const UNKNOWN = { detail: "unknown member, ignored" };
const NOT_KEPT = { detail: "not kept: the submission is known already, and stays as it was sent first" };

test("a repeat is told which of its members are not kept", async (t) => {
  const service = await runService(t);
  const first = { external_id: "a", metadata: { n: 1 } };
  assert.equal((await post(service, PATH, commitment(1, first))).body.warnings, undefined);
  for (const [again, pointers] of [
    [first, undefined],
    [{}, undefined],
    [{ external_id: "b" }, ["/external_id"]],
    [{ external_id: "b", metadata: { n: 2 } }, ["/external_id", "/metadata"]],
  ] as const) {
    const { status, body } = await post(service, PATH, commitment(1, again));
    assert.deepEqual([status, body.external_id], [200, "a"]);
    const expected = pointers?.map((pointer) => ({ pointer, ...NOT_KEPT }));
    assert.deepEqual(body.warnings, expected, JSON.stringify(again));
  }
  const items = [commitment(2), commitment(1, { metadata: 5, typo: true })];
  const many = await post(service, "/v1/submit-proofs", { items });
  const told = (many.body.items as readonly Readonly<Record<string, unknown>>[]).map(({ warnings }) => warnings);
  assert.deepEqual(told, [
    undefined,
    [
      { pointer: "/items/1/typo", ...UNKNOWN },
      { pointer: "/items/1/metadata", ...NOT_KEPT },
    ],
  ]);
});

test("members that nobody reads are named where something is made or judged", async (t) => {
  const service = await runService(t);
  const verdict = await post(service, "/v1/verify", { ...commitment(1), vk: 1 });
  assert.equal(verdict.body.valid, true);
  assert.deepEqual(verdict.body.warnings, [
    { pointer: "/chain_id", ...UNKNOWN },
    { pointer: "/vk", ...UNKNOWN },
  ]);
  const hook = await post(service, "/v1/webhooks", { url: "http://127.0.0.1:9/", event: ["submission.final"] });
  assert.deepEqual(hook.body.warnings, [{ pointer: "/event", ...UNKNOWN }]);
  assert.equal((await call(service, `/v1/webhooks/${hook.body.id}`)).body.warnings, undefined);
});

test("whoever waits for what never comes is told so", async (t) => {
  const service = await runService(t);
  const { body } = await post(service, PATH, { proof_data: "?", chain_id: "hints" });
  await until("it is rejected", async () => (await call(service, `/v1/proofs/${body.id}`)).body.state === "rejected");
  for (const part of ["receipt", "receipt.ots", "bytes"]) {
    const refused = await call(service, `/v1/proofs/${body.id}/${part}`);
    assert.deepEqual([refused.status, refused.body.code, refused.body.state], [409, "not-yet", "rejected"], part);
    assert.equal(refused.body.detail, "the submission is rejected: there is none, now or later");
  }
});

test("the member of a key that is not taken is pointed at", async (t) => {
  const service = await runService(t);
  const key = { system: "groth16", encoding: "gnark-binary", vk: "0x00" };
  for (const [change, pointer, code] of [
    [{ system: "sp1" }, "/system", "unsupported-system"],
    [{ encoding: "raw" }, "/encoding", "unsupported-encoding"],
    [{ curve: "bls12-377" }, "/curve", "unsupported-system"],
    [{}, "/vk", "malformed"],
  ] as const) {
    const refused = await post(service, "/v1/verification-keys", { ...key, ...change });
    const [error] = refused.body.errors as readonly { pointer: string; code: string; detail: string }[];
    assert.deepEqual([refused.status, error?.pointer, error?.code], [422, pointer, code], JSON.stringify(change));
    assert.doesNotMatch(error?.detail ?? "", /^(?:system|encoding|curve):/);
  }
});

test("days of a statement are read like other parameters", async (t) => {
  const service = await runService(t);
  for (const [query, parameter, detail] of [
    ["from=2026-11-01&from=2026-11-02", "from", "is given more than once"],
    ["to=2026-02-30", "to", "must be a day as 2026-11-21"],
    ["from=2026-11-22&to=2026-11-21", "from", "must not be after to, and at most 366 days before it"],
    ["from=2025-11-01&to=2026-11-21", "from", "must not be after to, and at most 366 days before it"],
  ] as const) {
    const { status, body } = await call(service, `/v1/account/usage?${query}`);
    assert.equal(status, 400, query);
    assert.deepEqual(body.errors, [{ parameter, code: "invalid", detail }], query);
  }
});
