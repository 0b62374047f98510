import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { hexToBytes } from "@cairn/primitives";
import { decodeVerifyProofsInput } from "@cairn/proofs";
import { keyShape } from "./key-shape.ts";
import { keyGas, precompileGas, settlementGasLimit, slotGas } from "./settlement-gas.ts";

const FOLDER = new URL("../../../test/vectors/verify-proofs/", import.meta.url);
const CURVES = new Map([
  [1, "bn254"],
  [2, "bls12-381"],
]);

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(".json"))) {
  test(`the precompile's price of ${file} is what settlements reckon with`, () => {
    const vector: { input: `0x${string}`; gas: number } = JSON.parse(readFileSync(new URL(file, FOLDER), "utf8"));
    const bytes = hexToBytes(vector.input);
    const { keys, slots } = decodeVerifyProofsInput(bytes);
    const curveOf = (index: number | null): string => CURVES.get(keys[index ?? -1]?.systemTag ?? 1) ?? "";
    const ofKeys = keys.map(({ systemTag, key }) => {
      const curve = CURVES.get(systemTag) ?? "";
      return keyGas({ curve, keyBytes: key.length, commitments: keyShape(curve, key).commitments });
    });
    const ofSlots = slots.map(({ kind, keyIndex, proof, publicInputs }) =>
      slotGas({
        kind,
        curve: curveOf(keyIndex),
        proofBytes: proof.length,
        publicInputsBytes: publicInputs.length,
      }),
    );
    const verificationGas = [...ofKeys, ...ofSlots].reduce((sum, gas) => sum + gas, 0);
    assert.equal(precompileGas({ batchBytes: bytes.length, verificationGas }), vector.gas);
    assert.ok(settlementGasLimit({ batchBytes: bytes.length, verificationGas, payers: 0 }) > vector.gas * 1.05);
  });
}
