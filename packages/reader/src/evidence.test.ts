/** The evidence beside a submission: what was fetched, at most 64 KiB; a note where it is larger. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { keccak256 } from "viem";
import { boundedEvidence, MAX_EVIDENCE_BYTES } from "./foreign-block.ts";
import { readerScene } from "./testing/reader-scene.ts";
import { until } from "./testing/until.ts";

test("evidence of a header is its bytes, which hash to the hash", async (t) => {
  const s = await readerScene(t);
  await s.start("LOOP");
  await until("block 0", () => s.door.taken.size === 1);
  const [taken] = s.door.taken.values();
  const evidence = (taken as unknown as { readonly evidence: Readonly<Record<string, string>> }).evidence;
  assert.equal(evidence.family, "evm");
  assert.equal(evidence.hash, s.chain.hashes()[0]);
  assert.equal(keccak256(evidence.header as `0x${string}`), evidence.hash);
});

test("larger than the service takes, in bytes and not in characters, it is left out and says so", () => {
  const fits = { text: "x".repeat(MAX_EVIDENCE_BYTES - 11) };
  assert.equal(JSON.stringify(fits).length, MAX_EVIDENCE_BYTES);
  assert.deepEqual(boundedEvidence(fits), fits);
  const wide = { text: "Ω".repeat(MAX_EVIDENCE_BYTES / 2) };
  assert.deepEqual(boundedEvidence(wide), {
    omitted: `${MAX_EVIDENCE_BYTES + 11} bytes are more than ${MAX_EVIDENCE_BYTES}`,
  });
});
