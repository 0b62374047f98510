import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anchorVsize, bumpedFee, type FeePolicy, feeTarget, firstFee } from "./anchor-fee.ts";
import { testWallet } from "./testing/regtest-fixture.ts";

const POLICY: FeePolicy = { targetBlocks: 144, fallbackRate: 2, capRate: 100, capSat: 50_000 };

test("the size foretold is that of a signed anchor, or one signature byte more per input", () => {
  for (const inputs of [1, 2, 3, 8]) {
    const coin = (n: number) => ({ txid: n.toString(16).padStart(64, "0"), vout: n, valueSat: 10_000n });
    const [input, ...extraInputs] = Array.from({ length: inputs }, (_, n) => coin(n + 1));
    assert.ok(input !== undefined);
    const built = testWallet().buildAnchor({ input, extraInputs, data: new Uint8Array(40), feeSat: 1n });
    const spare = anchorVsize(inputs) - built.vsize;
    assert.ok(spare >= 0 && spare <= inputs, `${inputs} inputs: ${spare}`);
  }
});

test("cheap first: a day's target, then a quarter of it each round, two blocks at last", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 9].map((round) => feeTarget(POLICY, round)),
    [144, 36, 9, 2, 2, 2],
  );
});

test("a first fee follows the estimate between floor and caps", () => {
  assert.equal(firstFee(POLICY, 161, 3), 483);
  assert.equal(firstFee(POLICY, 161, null), 322);
  assert.equal(firstFee(POLICY, 161, 0.1), 161);
  assert.equal(firstFee(POLICY, 161, 1_000), 16_100);
  assert.equal(firstFee({ ...POLICY, capSat: 500 }, 161, 1_000), 500);
});

test("a bump always satisfies the rules of replacement and never the cap's opposite", () => {
  const rates = fc.double({ min: 0.1, max: 200, noNaN: true });
  fc.assert(
    fc.property(
      fc.record({ estimate: fc.option(rates), rate: rates, before: fc.integer({ min: 1, max: 8 }), more: fc.nat(4) }),
      ({ estimate, rate, before, more }) => {
        const previous = { vsize: anchorVsize(before), feeSat: Math.ceil(rate * anchorVsize(before)) };
        const vsize = anchorVsize(before + more);
        const fee = bumpedFee(POLICY, { vsize, estimate, previous });
        const most = Math.min(POLICY.capSat, Math.floor(POLICY.capRate * vsize));
        if (fee === undefined) return assert.ok(most < previous.feeSat * (vsize / previous.vsize) + vsize + 1);
        assert.ok(fee <= most);
        assert.ok(fee >= previous.feeSat + vsize, "pays for its own relay");
        assert.ok(fee / vsize > previous.feeSat / previous.vsize, "a higher rate");
      },
    ),
  );
});
