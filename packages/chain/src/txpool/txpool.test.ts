import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { add, addressOf, noncesOf, poolOf, txOf } from "../testing/pool-fixture.ts";
import { addTx } from "./add.ts";
import { dropUnexecutable, expireQueued, stepHead } from "./head.ts";
import { noChanges } from "./txpool.ts";

describe("txpool: adding", () => {
  it("keeps a gapped nonce queued until the gap fills", () => {
    const pool = poolOf();
    assert.equal(add(pool, txOf({ nonce: 1 })), "ok");
    assert.equal(pool.pending, 0);
    const changes = noChanges();
    assert.equal(add(pool, txOf({ nonce: 0 }), { changes }), "ok");
    assert.deepEqual(noncesOf(changes.promoted), [0, 1]);
    assert.equal(pool.pending, 2);
  });

  it("refuses what is known, used, too cheap or unpaid", () => {
    const pool = poolOf({}, 5n);
    const tx = txOf({ cap: 10 });
    assert.equal(add(pool, tx), "ok");
    assert.equal(add(pool, tx), "already-known");
    assert.equal(add(pool, txOf({ nonce: 2 }), { nonce: 3n }), "nonce-too-low");
    assert.equal(add(pool, txOf({ sender: 2, cap: 10, tip: 4 })), "below-minimum");
    assert.equal(add(pool, txOf({ sender: 3 }), { balance: 2_099_999n }), "insufficient-funds");
    assert.equal(add(pool, txOf({ sender: 3 }), { balance: 2_100_000n }), "ok");
  });

  it("counts what is pooled already against the balance", () => {
    const pool = poolOf();
    const balance = 2n * 2_100_000n;
    assert.equal(add(pool, txOf({ nonce: 0 }), { balance }), "ok");
    assert.equal(add(pool, txOf({ nonce: 1 }), { balance }), "ok");
    assert.equal(add(pool, txOf({ nonce: 2 }), { balance }), "insufficient-funds");
    assert.equal(add(pool, txOf({ nonce: 1, cap: 120 }), { balance }), "insufficient-funds");
    const dear = addTx(
      pool,
      { tx: txOf({ nonce: 2 }), senderNonce: 0n, senderBalanceWei: balance, senderDelegated: false },
      noChanges(),
    );
    assert.deepEqual(dear, {
      ok: false,
      code: "insufficient-funds",
      balanceWei: balance,
      costWei: 2_100_000n,
      pooledWei: balance,
      overshotWei: 2_100_000n,
    });
  });

  it("replaces at ten percent more of both fees only", () => {
    const pool = poolOf();
    const old = txOf({ cap: 100, tip: 50 });
    add(pool, old);
    assert.equal(add(pool, txOf({ cap: 109, tip: 60 })), "replacement-underpriced");
    assert.equal(add(pool, txOf({ cap: 120, tip: 54 })), "replacement-underpriced");
    const changes = noChanges();
    const dearer = txOf({ cap: 110, tip: 55 });
    assert.equal(add(pool, dearer, { changes }), "ok");
    assert.deepEqual(changes.dropped, [{ tx: old, reason: "replaced" }]);
    assert.equal(pool.byHash.size, 1);
    assert.equal(add(pool, txOf({ nonce: 3, cap: 1, tip: 0 })), "ok");
    assert.equal(add(pool, txOf({ nonce: 3, cap: 1, tip: 0 })), "replacement-underpriced");
  });

  it("spares the senders of the node's own, and makes room for them whatever they pay", () => {
    const pool = poolOf({ globalSlots: 3, globalQueue: 0, accountSlots: 1, lifetimeMs: 100 });
    pool.locals.add(addressOf(1));
    const own = [txOf({ nonce: 0, cap: 1 }), txOf({ nonce: 1, cap: 1 })];
    for (const tx of own) assert.equal(add(pool, tx), "ok");
    assert.equal(add(pool, txOf({ sender: 2, cap: 50 })), "ok");
    assert.equal(add(pool, txOf({ sender: 3, cap: 60 })), "ok");
    assert.ok(own.every((tx) => pool.byHash.has(tx.hash)));
    // A block: the churn before it counts no longer.
    stepHead(pool, [], noChanges());
    assert.equal(add(pool, txOf({ nonce: 2, cap: 2 })), "ok");
    assert.deepEqual([...pool.accounts.keys()], [addressOf(1)]);
    stepHead(pool, [], noChanges());
    assert.equal(add(pool, txOf({ sender: 2, cap: 900 })), "pool-full");
    assert.equal(pool.pending, 3);
    const queued = poolOf({ globalQueue: 1, lifetimeMs: 100 });
    queued.locals.add(addressOf(1));
    for (const nonce of [1, 2, 3]) assert.equal(add(queued, txOf({ nonce })), "ok");
    expireQueued(queued, Number.MAX_SAFE_INTEGER, noChanges());
    assert.equal(queued.byHash.size, 3);
  });

  it("evicts the cheapest when full, and refuses cheaper or equal newcomers", () => {
    const pool = poolOf({ globalSlots: 8, globalQueue: 0, accountSlots: 1 });
    for (let sender = 1; sender <= 8; sender++) add(pool, txOf({ sender, cap: 10 * sender }));
    assert.equal(add(pool, txOf({ sender: 20, cap: 10 })), "underpriced");
    assert.equal(add(pool, txOf({ sender: 21, nonce: 4, cap: 50 })), "future-replaces-pending");
    const changes = noChanges();
    assert.equal(add(pool, txOf({ sender: 20, cap: 11 }), { changes }), "ok");
    assert.deepEqual(
      changes.dropped.map((d) => [d.tx.sender, d.reason]),
      [[addressOf(1), "evicted"]],
    );
    assert.equal(add(pool, txOf({ sender: 22, cap: 60 })), "ok");
    assert.equal(add(pool, txOf({ sender: 23, cap: 60 })), "ok");
    assert.equal(add(pool, txOf({ sender: 24, cap: 60 })), "pool-full");
    stepHead(pool, [], noChanges());
    assert.equal(add(pool, txOf({ sender: 24, cap: 60 })), "ok");
  });

  it("trims the biggest senders fairly and keeps guaranteed slots", () => {
    const pool = poolOf({ globalSlots: 12, globalQueue: 100, accountSlots: 2 });
    for (let nonce = 0; nonce < 9; nonce++) add(pool, txOf({ sender: 1, nonce }));
    add(pool, txOf({ sender: 2 }));
    for (let nonce = 0; nonce < 6; nonce++) add(pool, txOf({ sender: 3, nonce }));
    assert.equal(pool.pending, 11);
    assert.equal(pool.accounts.get(addressOf(1))?.executable, 5);
    assert.equal(pool.accounts.get(addressOf(2))?.executable, 1);
    assert.equal(pool.accounts.get(addressOf(3))?.executable, 5);
  });

  it("bounds one sender's queue and all queues", () => {
    const pool = poolOf({ accountQueue: 3, globalQueue: 4 });
    for (let nonce = 1; nonce <= 6; nonce++) add(pool, txOf({ sender: 1, nonce }));
    assert.deepEqual(noncesOf(pool.accounts.get(addressOf(1))?.txs ?? []), [1, 2, 3]);
    for (let nonce = 1; nonce <= 3; nonce++) add(pool, txOf({ sender: 2, nonce }));
    assert.deepEqual(noncesOf(pool.accounts.get(addressOf(1))?.txs ?? []), [1]);
    assert.equal(pool.byHash.size, 4);
  });
});

describe("txpool: delegated accounts (EIP-7702)", () => {
  it("gives them one executable transaction, replaceable, without gaps", () => {
    const pool = poolOf();
    const delegated = { delegated: true };
    assert.equal(add(pool, txOf({ nonce: 1 }), delegated), "delegated-gap");
    assert.equal(add(pool, txOf({ nonce: 0 }), delegated), "ok");
    assert.equal(add(pool, txOf({ nonce: 1 }), delegated), "in-flight-limit");
    assert.equal(add(pool, txOf({ nonce: 0, cap: 110 }), delegated), "ok");
    assert.equal(add(pool, txOf({ nonce: 0, cap: 111 }), delegated), "replacement-underpriced");
  });

  it("counts an account as delegated while a pooled authorization names it", () => {
    const pool = poolOf();
    const setting = txOf({ sender: 2, authorities: [1, 3] });
    assert.equal(add(pool, setting), "ok");
    assert.equal(add(pool, txOf({ sender: 1, nonce: 1 })), "delegated-gap");
    assert.equal(add(pool, txOf({ sender: 1, nonce: 0 })), "ok");
    assert.equal(add(pool, txOf({ sender: 1, nonce: 1 })), "in-flight-limit");
    dropUnexecutable(pool, setting.hash, noChanges());
    assert.equal(pool.authorities.size, 0);
    assert.equal(add(pool, txOf({ sender: 1, nonce: 1 })), "ok");
  });

  it("reserves no authority that has more than one transaction pooled", () => {
    const pool = poolOf();
    assert.equal(add(pool, txOf({ sender: 1, nonce: 0 })), "ok");
    assert.equal(add(pool, txOf({ sender: 2, nonce: 0, authorities: [1] })), "ok");
    for (const nonce of [0, 5]) assert.equal(add(pool, txOf({ sender: 3, nonce })), "ok");
    assert.equal(add(pool, txOf({ sender: 4, authorities: [1, 3] })), "authority-reserved");
    assert.deepEqual([...pool.authorities], [[addressOf(1), 1]]);
  });
});
