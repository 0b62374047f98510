import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { canonicalChainId } from "@cairn/aggregator";
import { putChain } from "../accounts/account-store.ts";
import { openAccountsFile } from "../accounts/accounts-file.ts";
import { allProofCases, call, post, runService, temporaryHome } from "../testing/fixture.ts";

type Envelope = Record<string, unknown>;
const envelopes = new Map<string, Envelope>(allProofCases().map((item) => [item.id, JSON.parse(item.proofData)]));

function envelope(id: string): Envelope {
  const found = envelopes.get(id);
  assert.ok(found, id);
  return found;
}

const keyOf = ({ system, curve, encoding, vk }: Envelope) => ({ system, curve, encoding, vk });
const wait = { prefer: "wait=20" };

test("a key is registered once, whatever encoding it comes in, and read by its hash", async (t) => {
  const service = await runService(t);
  const first = await post(service, "/v1/verification-keys", keyOf(envelope("g16-bn254-gnark-commit-three-raw-00")));
  assert.equal(first.status, 201);
  const hash = String(first.body.vk_hash);
  assert.match(hash, /^0x[0-9a-f]{64}$/);
  assert.equal(first.headers.get("location"), `/v1/verification-keys/${hash}`);
  const { system, curve, public_inputs, commitments } = first.body;
  assert.deepEqual([system, curve, public_inputs, commitments], ["groth16", "bn254", 2, 3]);
  for (const form of ["compressed", "json"]) {
    const again = await post(service, "/verification-keys", keyOf(envelope(`g16-bn254-gnark-commit-three-${form}-00`)));
    assert.equal(again.status, 200, form);
    assert.deepEqual(again.body, first.body);
  }
  assert.deepEqual((await call(service, `/v1/verification-keys/${hash}`)).body, first.body);
  for (const unknown of [`0x${"00".repeat(32)}`, "0x00", "key"]) {
    const { status, body } = await call(service, `/v1/verification-keys/${unknown}`);
    assert.deepEqual([status, body.detail], [404, "no verification key with this hash"], unknown);
  }
});

test("a key that is none is refused with its code and the place of the fault", async (t) => {
  const service = await runService(t);
  const good = keyOf(envelope("g16-bls-sj-poseidon_preimage-00"));
  const cases: [Envelope, string, string][] = [
    [{ ...good, system: "plonk" }, "/system", "unsupported-system"],
    [{ ...good, curve: "pasta" }, "/curve", "unsupported-system"],
    [{ ...good, encoding: "halo2" }, "/encoding", "unsupported-encoding"],
    [{ ...good, curve: "bn254" }, "/vk", "malformed"],
    [{ ...good, vk: "0x00" }, "/vk", "malformed"],
    [keyOf(envelope("g16-bls-sj-poseidon_preimage-00-neg-vk-ic-off-curve")), "/vk", "not-on-curve"],
    [keyOf(envelope("g16-bls-sj-poseidon_preimage-00-neg-vk-gamma-outside-subgroup")), "/vk", "not-in-subgroup"],
  ];
  for (const [body, pointer, code] of cases) {
    const refused = await post(service, "/v1/verification-keys", body);
    assert.equal(refused.status, 422, code);
    const [error] = refused.body.errors as { pointer: string; code: string }[];
    assert.deepEqual([error?.pointer, error?.code], [pointer, code]);
  }
  const { vk: _, ...without } = good;
  assert.equal((await post(service, "/v1/verification-keys", without)).status, 422);
});

test("a proof that names its key is refused until the key is registered, then taken under the same id", async (t) => {
  const service = await runService(t);
  const { vk: _, ...proof } = envelope("g16-bls12-381-gnark-commit-one-compressed-01");
  const key = keyOf(envelope("g16-bls12-381-gnark-commit-one-json-01"));
  const elsewhere = await runService(t);
  const vkHash = (await post(elsewhere, "/v1/verification-keys", key)).body.vk_hash;
  const body = { proof_data: JSON.stringify({ ...proof, vkHash }), chain_id: "test" };
  const early = await post(service, "/v1/submit-proof", body, wait);
  assert.equal(early.body.state, "rejected");
  assert.equal((early.body.error as { code: string }).code, "unknown-vk");
  const dry = await post(service, "/v1/verify", { proof_data: body.proof_data });
  assert.equal((dry.body.error as { code: string }).code, "unknown-vk");
  assert.equal((await post(service, "/v1/verification-keys", key)).status, 201);
  const late = await post(service, "/v1/submit-proof", body, wait);
  assert.equal(late.body.id, early.body.id);
  assert.ok(["verified", "batched"].includes(String(late.body.state)), String(late.body.state));
  const checked = await post(service, "/v1/verify", { proof_data: body.proof_data });
  assert.equal(checked.body.valid, true);
  assert.equal(checked.body.vk_hash, vkHash);
});

test("bytes without an envelope are taken for what the chain's profile says", async (t) => {
  const home = temporaryHome(t);
  const service = await runService(t, { home });
  const { vk: _, ...parts } = envelope("g16-bn254-gnark-cubic-compressed-00");
  const key = await post(service, "/v1/verification-keys", keyOf(envelope("g16-bn254-gnark-cubic-compressed-00")));
  const proof_data = `${parts.proof}${String(parts.publicInputs).slice(2)}`;
  const unknown = await post(service, "/v1/submit-proof", { proof_data, chain_id: "plain" }, wait);
  assert.equal((unknown.body.error as { code: string }).code, "unrecognised-format");
  const accounts = openAccountsFile(join(home, "service", "accounts.db"), "sandbox");
  t.after(() => accounts.close());
  const vkHash = String(key.body.vk_hash) as `0x${string}`;
  const profile = { system: "groth16", curve: "bn254", encoding: "gnark-binary", vkHash };
  assert.deepEqual((await call(service, "/v1/account")).body.chains, []);
  putChain(accounts, "sandbox", { chainId: "my-rollup", aliases: ["MR-1"], profile }, Date.now());
  const named = { system: "groth16", curve: "bn254", encoding: "gnark-binary", vk_hash: vkHash };
  const registered = [{ chain_id: "my-rollup", aliases: ["mr-1"], profile: named }];
  assert.deepEqual((await call(service, "/v1/account")).body.chains, registered);
  const taken = await post(service, "/v1/submit-proof", { proof_data, chain_id: "My-Rollup" }, wait);
  assert.ok(["verified", "batched"].includes(String(taken.body.state)), JSON.stringify(taken.body));
  const base64 = Buffer.from(proof_data.slice(2), "hex").toString("base64");
  const again = await post(service, "/v1/submit-proof", { proof_data: base64, chain_id: "my-rollup" }, wait);
  const read = await call(service, `/v1/proofs/${again.body.id}`);
  assert.equal((read.body.duplicate_of as string | undefined) ?? taken.body.id, taken.body.id);
  assert.equal(canonicalChainId("My-Rollup"), "my-rollup");
});
