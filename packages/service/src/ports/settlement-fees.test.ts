import assert from "node:assert/strict";
import { test } from "node:test";
import { settlementFees } from "./settlement-fees.ts";

const GWEI = 10n ** 9n;

test("a settlement stays includable while the base fee rises, and below what nodes take in all", () => {
  assert.deepEqual(settlementFees(GWEI, 1_000_000n), {
    maxFeePerGasWei: 11n * GWEI,
    maxPriorityFeePerGasWei: GWEI,
  });
  for (const baseFeeWei of [7n, GWEI, 3n * GWEI, 50n * GWEI, 10n ** 13n]) {
    for (const gasLimit of [21_000n, 44_750_123n, 100_000_000n]) {
      const fees = settlementFees(baseFeeWei, gasLimit);
      assert.ok(fees.maxFeePerGasWei * gasLimit <= 10n ** 18n);
      assert.ok(fees.maxPriorityFeePerGasWei <= fees.maxFeePerGasWei);
      assert.ok(fees.maxFeePerGasWei > 0n);
    }
  }
});
