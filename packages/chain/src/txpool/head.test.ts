import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Hash } from "@cairn/primitives";
import { add, addressOf, newestMs, noncesOf, poolOf, RICH, txOf } from "../testing/pool-fixture.ts";
import { dropUnexecutable, expireQueued, stepHead } from "./head.ts";
import { noChanges } from "./txpool.ts";

describe("txpool: blocks and time", () => {
  it("drops used nonces, demotes when the balance falls, promotes when it rises", () => {
    const pool = poolOf();
    for (let nonce = 0; nonce < 4; nonce++) add(pool, txOf({ nonce }));
    const fall = noChanges();
    stepHead(pool, [{ address: addressOf(1), nonce: 1n, balanceWei: 2_100_000n }], fall);
    assert.deepEqual(
      fall.dropped.map((d) => d.reason),
      ["mined"],
    );
    assert.equal(pool.pending, 1);
    const rise = noChanges();
    stepHead(pool, [{ address: addressOf(1), nonce: 1n, balanceWei: RICH }], rise);
    assert.deepEqual(noncesOf(rise.promoted), [2, 3]);
    const drained = noChanges();
    stepHead(pool, [{ address: addressOf(1), nonce: 1n, balanceWei: 5n }], drained);
    assert.deepEqual(
      drained.dropped.map((d) => d.reason),
      ["unaffordable", "unaffordable", "unaffordable"],
    );
    assert.equal(pool.accounts.size, 0);
    assert.equal(pool.slots, 0);
  });

  it("queues what follows a dropped transaction", () => {
    const pool = poolOf();
    const txs = [0, 1, 2].map((nonce) => txOf({ nonce }));
    for (const tx of txs) add(pool, tx);
    const changes = noChanges();
    dropUnexecutable(pool, txs[1]?.hash as Hash, changes);
    assert.deepEqual(
      changes.dropped.map((d) => d.reason),
      ["unexecutable"],
    );
    assert.equal(pool.pending, 1);
    assert.equal(pool.byHash.size, 2);
  });

  it("expires queued transactions of silent senders only", () => {
    const pool = poolOf({ lifetimeMs: 100 });
    add(pool, txOf({ sender: 1, nonce: 0 }));
    add(pool, txOf({ sender: 1, nonce: 2 }));
    const changes = noChanges();
    expireQueued(pool, newestMs() + 99, changes);
    assert.equal(changes.dropped.length, 0);
    expireQueued(pool, newestMs() + 101, changes);
    assert.deepEqual(
      changes.dropped.map((d) => [Number(d.tx.nonce), d.reason]),
      [[2, "expired"]],
    );
    assert.equal(pool.pending, 1);
  });
});
