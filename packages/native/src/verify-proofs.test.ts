import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { bytesToHex, sha256 } from "@cairn/primitives";
import { verifyProofs } from "./facade.ts";

test("a submission that is no proof has a verdict with a code, in the order asked", async () => {
  const verdicts = await verifyProofs(["", "{", '{"a":1}', "[]"]);
  assert.equal(verdicts.length, 4);
  for (const verdict of verdicts) {
    assert.ok(!verdict.ok);
    assert.ok(["malformed", "unrecognised-format"].includes(verdict.code), verdict.code);
    assert.ok(verdict.detail.length > 0);
  }
  assert.deepEqual(await verifyProofs([]), []);
});

interface VectorCase {
  id: string;
  expected: string;
  alsoAccepted?: string[];
  [part: string]: unknown;
}

const PARTS = ["system", "curve", "encoding", "version", "proof", "publicInputs", "vk", "vkHash"];

test("Groth16 vectors have the expected verdicts, valid and changed ones mixed in one call", async () => {
  const file = new URL("../../../test/vectors/proofs/groth16-snarkjs-json-bn254.jsonl", import.meta.url);
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const cases = lines.map((line): VectorCase => JSON.parse(line));
  const envelope = (it: VectorCase) =>
    JSON.stringify(Object.fromEntries(PARTS.filter((part) => part in it).map((part) => [part, it[part]])));
  const verdicts = await verifyProofs(cases.map(envelope));
  assert.equal(verdicts.length, cases.length);
  for (const [index, verdict] of verdicts.entries()) {
    const it = cases[index];
    assert.ok(it);
    const found = verdict.ok ? "valid" : verdict.code;
    assert.ok([it.expected, ...(it.alsoAccepted ?? [])].includes(found), `${it.id}: ${found}`);
    if (verdict.ok) {
      assert.equal(verdict.system, "groth16");
      assert.equal(verdict.proofHash, bytesToHex(sha256(verdict.canonicalProof)));
      assert.equal(verdict.publicInputs.length % 32, 0);
    }
  }
  assert.ok(verdicts.some((verdict) => verdict.ok) && verdicts.some((verdict) => !verdict.ok));
});
