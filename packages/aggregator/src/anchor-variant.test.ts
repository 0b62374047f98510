import assert from "node:assert/strict";
import { test } from "node:test";
import { type VariantFacts, variantDue } from "./anchor-variant.ts";

const coin = (txid: string) => ({ txid, vout: 0, valueSat: 1 });
const mined = { height: 5, blockHash: "bb", atMs: 1 };
const FACTS: VariantFacts = {
  anchor: { input: coin("aa"), variants: [{ txid: "t1", signedHeight: 10 }] },
  predecessor: { change: coin("aa"), mined },
  tip: 10,
  outcome: { ok: true },
  bumpBlocks: 6,
};
const refused = (code: "fee-too-low" | "rejected" | "missing-inputs") => ({ ok: false, code, message: "" }) as const;

const CASES: readonly (readonly [string, Partial<VariantFacts>, ReturnType<typeof variantDue>])[] = [
  ["nothing is due in the first blocks", { tip: 15 }, undefined],
  ["a bump after its blocks", { tip: 16 }, "waited"],
  ["the first anchor has no predecessor", { predecessor: undefined, tip: 16 }, "waited"],
  ["blocks count from the newest variant", { tip: 16, anchor: variants(10, 14) }, undefined],
  ["a bump at once when it is too cheap", { outcome: refused("fee-too-low") }, "refused"],
  ["another refusal is no reason to pay more", { outcome: refused("rejected") }, undefined],
  ["nor are missing inputs, whatever was waited", { tip: 99, outcome: refused("missing-inputs") }, undefined],
  ["but missing further inputs are left out", { outcome: refused("missing-inputs"), hasChained: true }, "refused"],
  ["another change of the predecessor in a block", { predecessor: { change: coin("cc"), mined } }, "rebased"],
  ["but not while that is in no block", { predecessor: { change: coin("cc"), mined: undefined } }, undefined],
  ["variants end", { tip: 1_000, anchor: variants(...Array.from({ length: 64 }, () => 1)) }, undefined],
];

function variants(...heights: readonly number[]) {
  return { input: coin("aa"), variants: heights.map((signedHeight, i) => ({ txid: `t${i}`, signedHeight })) };
}

for (const [name, change, expected] of CASES) {
  test(name, () => assert.equal(variantDue({ ...FACTS, ...change }), expected));
}
