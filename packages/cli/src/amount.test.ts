import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatEther, parseEther } from "viem";
import { formatAmount, parseAmount } from "./amount.ts";

test("amounts are read and written as an independent library does", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), (wei) => {
      assert.equal(formatAmount(wei), `${formatEther(wei)} CRN`);
      assert.equal(parseAmount(formatEther(wei)), parseEther(formatEther(wei)));
      assert.equal(parseAmount(`${wei}wei`), wei);
    }),
  );
});

test("anything else is refused", () => {
  for (const text of ["", "-1", "1e3", "1.", ".5", "0x1", "1 wei", "1.0000000000000000001"]) {
    assert.throws(() => parseAmount(text), { code: "commander.invalidArgument" });
  }
});
