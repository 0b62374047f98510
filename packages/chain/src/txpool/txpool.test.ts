import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Address, Hash } from "@cairn/primitives";
import fc from "fast-check";
import { type PooledTx, txCostWei } from "../pooled-tx.ts";
import { addTx } from "./add.ts";
import { dropUnexecutable, expireQueued, stepHead } from "./head.ts";
import { DEFAULT_POOL_LIMITS, type PoolLimits, slotsOf } from "./limits.ts";
import { protobufSize, select } from "./select.ts";
import { truncatePool } from "./truncate.ts";
import { createTxPool, noChanges, type PoolChanges, type TxPool } from "./txpool.ts";

const addressOf = (sender: number): Address => `0x${sender.toString(16).padStart(40, "0")}`;
let serial = 0;

function txOf(
  o: {
    sender?: number;
    nonce?: number;
    cap?: number;
    tip?: number;
    value?: number;
    size?: number;
    authorities?: readonly number[];
  } = {},
): PooledTx {
  const { sender = 1, nonce = 0, cap = 100, tip = cap, value = 0, size = 110, authorities = [] } = o;
  serial++;
  return {
    hash: `0x${serial.toString(16).padStart(64, "0")}`,
    type: 2,
    sender: addressOf(sender),
    to: addressOf(99),
    nonce: BigInt(nonce),
    gas: 21_000n,
    maxFeePerGasWei: BigInt(cap),
    maxPriorityFeePerGasWei: BigInt(tip),
    valueWei: BigInt(value),
    authorities: authorities.map(addressOf),
    size,
    raw: new Uint8Array(0),
    addedMs: serial,
  };
}

const RICH = 10n ** 18n;

function add(
  pool: TxPool,
  tx: PooledTx,
  state: { nonce?: bigint; balance?: bigint; delegated?: boolean; changes?: PoolChanges } = {},
) {
  const { nonce = 0n, balance = RICH, delegated = false, changes = noChanges() } = state;
  const outcome = addTx(
    pool,
    { tx, senderNonce: nonce, senderBalanceWei: balance, senderDelegated: delegated },
    changes,
  );
  truncatePool(pool, changes);
  return outcome.ok ? "ok" : outcome.code;
}

function poolOf(limits: Partial<PoolLimits> = {}, minTipWei = 0n): TxPool {
  return createTxPool({ ...DEFAULT_POOL_LIMITS, ...limits }, minTipWei);
}

const noncesOf = (txs: readonly PooledTx[]) => txs.map((tx) => Number(tx.nonce));

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
    expireQueued(pool, serial + 99, changes);
    assert.equal(changes.dropped.length, 0);
    expireQueued(pool, serial + 101, changes);
    assert.deepEqual(
      changes.dropped.map((d) => [Number(d.tx.nonce), d.reason]),
      [[2, "expired"]],
    );
    assert.equal(pool.pending, 1);
  });
});

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

const SENDERS = 4;
const command = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant("add" as const),
      sender: fc.integer({ min: 1, max: SENDERS }),
      nonce: fc.integer({ min: 0, max: 9 }),
      cap: fc.integer({ min: 1, max: 60 }),
      tip: fc.integer({ min: 0, max: 60 }),
      size: fc.constantFrom(110, 40_000),
      authorities: fc.uniqueArray(fc.integer({ min: 1, max: SENDERS }), { maxLength: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("head" as const),
      sender: fc.integer({ min: 1, max: SENDERS }),
      advance: fc.integer({ min: 0, max: 3 }),
      balance: fc.integer({ min: 0, max: 8_000_000 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("expire" as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("drop" as const), pick: fc.nat() }) },
);

interface World {
  readonly pool: TxPool;
  readonly state: Map<number, { nonce: bigint; balance: bigint }>;
}

function run(world: World, step: typeof command extends fc.Arbitrary<infer C> ? C : never): void {
  const { pool, state } = world;
  const changes = noChanges();
  const of = (sender: number) => state.get(sender) ?? { nonce: 0n, balance: 6_000_000n };
  if (step.type === "add") {
    const tip = Math.min(step.tip, step.cap);
    add(pool, txOf({ ...step, tip }), { ...of(step.sender), changes });
  } else if (step.type === "head") {
    const next = { nonce: of(step.sender).nonce + BigInt(step.advance), balance: BigInt(step.balance) };
    state.set(step.sender, next);
    stepHead(pool, [{ address: addressOf(step.sender), nonce: next.nonce, balanceWei: next.balance }], changes);
    truncatePool(pool, changes);
  } else if (step.type === "expire") {
    expireQueued(pool, serial + 15, changes);
  } else {
    const hashes = [...pool.byHash.keys()];
    const hash = hashes[step.pick % Math.max(1, hashes.length)];
    if (hash !== undefined) dropUnexecutable(pool, hash, changes);
    truncatePool(pool, changes);
  }
}

function checkInvariants(pool: TxPool): void {
  let pending = 0;
  let total = 0;
  let slots = 0;
  for (const account of pool.accounts.values()) {
    assert.ok(account.txs.length > 0, "no empty accounts");
    assert.ok(account.txs.length - account.executable <= pool.limits.accountQueue, "account queue limit");
    let costWei = 0n;
    account.txs.forEach((tx, index) => {
      assert.equal(pool.byHash.get(tx.hash), tx);
      assert.ok(tx.nonce >= account.stateNonce, "no used nonce");
      assert.ok(txCostWei(tx) <= account.balanceWei, "each is paid for alone");
      const previous = account.txs[index - 1];
      if (previous !== undefined) assert.ok(previous.nonce < tx.nonce, "sender and nonce are unique and ordered");
      if (index < account.executable) {
        assert.equal(tx.nonce, account.stateNonce + BigInt(index), "pending is contiguous from the state nonce");
        costWei += txCostWei(tx);
      }
      slots += slotsOf(tx.size);
    });
    assert.equal(account.executableCostWei, costWei);
    assert.ok(costWei <= account.balanceWei, "pending is paid for together");
    const next = account.txs[account.executable];
    if (next?.nonce === account.stateNonce + BigInt(account.executable)) {
      assert.ok(costWei + txCostWei(next) > account.balanceWei, "what can run is pending");
    }
    pending += account.executable;
    total += account.txs.length;
  }
  const named = [...pool.byHash.values()].flatMap((tx) => tx.authorities);
  assert.deepEqual(new Set(pool.authorities.keys()), new Set(named));
  assert.equal(
    [...pool.authorities.values()].reduce((sum, times) => sum + times, 0),
    named.length,
  );
  assert.equal(pool.pending, pending);
  assert.equal(pool.byHash.size, total);
  assert.equal(pool.slots, slots);
  assert.ok(slots <= pool.limits.globalSlots + pool.limits.globalQueue, "slots");
  assert.ok(total - pending <= pool.limits.globalQueue, "queue");
}

describe("txpool: laws", () => {
  it("hold after any sequence of steps", () => {
    const limits = { globalSlots: 10, globalQueue: 6, accountSlots: 2, accountQueue: 4, lifetimeMs: 10 };
    fc.assert(
      fc.property(fc.array(command, { maxLength: 80, size: "max" }), (steps) => {
        const world: World = { pool: poolOf(limits), state: new Map() };
        for (const step of steps) {
          run(world, step);
          checkInvariants(world.pool);
        }
        const chosen = select(world.pool, { baseFeeWei: 10n, maxGas: 10n ** 9n, maxBytes: 10n ** 9n });
        for (const [index, tx] of chosen.entries()) {
          const earlier = chosen.slice(0, index).filter((other) => other.sender === tx.sender);
          assert.equal(tx.nonce, (world.pool.accounts.get(tx.sender)?.stateNonce ?? -1n) + BigInt(earlier.length));
        }
      }),
      { numRuns: 300 },
    );
  });
});
