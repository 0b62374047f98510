import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { add, addressOf, poolOf, RICH, txOf } from "../testing/pool-fixture.ts";
import { addTx } from "./add.ts";
import { protobufSize, select } from "./select.ts";
import { noChanges } from "./txpool.ts";

describe("txpool: selection", () => {
  const open = { baseFeeWei: 0n, maxGas: 30_000_000n, maxBytes: 1_000_000n };

  it("takes the dearest first and nonces in order", () => {
    const pool = poolOf();
    add(pool, txOf({ sender: 1, nonce: 0, cap: 10 }));
    add(pool, txOf({ sender: 1, nonce: 1, cap: 90 }));
    add(pool, txOf({ sender: 2, nonce: 0, cap: 50 }));
    assert.deepEqual(
      select(pool, open).map((tx) => Number(tx.maxFeePerGasWei)),
      [50, 10, 90],
    );
  });

  it("leaves out what the base fee or the minimum forbids, and all behind it", () => {
    const pool = poolOf({}, 2n);
    add(pool, txOf({ sender: 1, nonce: 0, cap: 11, tip: 5 }));
    add(pool, txOf({ sender: 1, nonce: 1, cap: 99, tip: 5 }));
    add(pool, txOf({ sender: 2, nonce: 0, cap: 12, tip: 5 }));
    assert.deepEqual(
      select(pool, { ...open, baseFeeWei: 10n }).map((tx) => tx.sender),
      [addressOf(2)],
    );
  });

  it("respects gas and bytes", () => {
    const pool = poolOf();
    for (let nonce = 0; nonce < 5; nonce++) add(pool, txOf({ nonce, size: 300 }));
    assert.equal(select(pool, { ...open, maxGas: 63_000n }).length, 3);
    assert.equal(select(pool, { ...open, maxBytes: BigInt(2 * protobufSize(300)) }).length, 2);
    assert.equal(protobufSize(127), 129);
    assert.equal(protobufSize(128), 131);
  });

  it("chooses among 50,000 in reasonable time", () => {
    const pool = poolOf();
    const changes = noChanges();
    for (let i = 0; i < 50_000; i++) {
      const tx = txOf({ sender: i % 5_000, nonce: Math.floor(i / 5_000), cap: 100 + ((i * 7919) % 1000) });
      addTx(pool, { tx, senderNonce: 0n, senderBalanceWei: RICH, senderDelegated: false }, changes);
    }
    const chosen = select(pool, { ...open, maxGas: 50_000n * 21_000n, maxBytes: 10_000_000n });
    assert.equal(chosen.length, 50_000);
  });
});
