/** What holds of the pool after any sequence of steps. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { txCostWei } from "../pooled-tx.ts";
import { add, addressOf, newestMs, poolOf, txOf } from "../testing/pool-fixture.ts";
import { dropUnexecutable, expireQueued, stepHead } from "./head.ts";
import { slotsOf } from "./limits.ts";
import type { PoolAccount } from "./pool-account.ts";
import { select } from "./select.ts";
import { truncatePool } from "./truncate.ts";
import { noChanges, type TxPool } from "./txpool.ts";

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
    expireQueued(pool, newestMs() + 15, changes);
  } else {
    const hashes = [...pool.byHash.keys()];
    const hash = hashes[step.pick % Math.max(1, hashes.length)];
    if (hash !== undefined) dropUnexecutable(pool, hash, changes);
    truncatePool(pool, changes);
  }
}

/** One sender's transactions; answers the slots they take. */
function checkAccount(pool: TxPool, account: PoolAccount): number {
  assert.ok(account.txs.length > 0, "no empty accounts");
  assert.ok(account.txs.length - account.executable <= pool.limits.accountQueue, "account queue limit");
  let costWei = 0n;
  let slots = 0;
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
  return slots;
}

function checkInvariants(pool: TxPool): void {
  const accounts = [...pool.accounts.values()];
  const slots = accounts.reduce((sum, account) => sum + checkAccount(pool, account), 0);
  const pending = accounts.reduce((sum, account) => sum + account.executable, 0);
  const total = accounts.reduce((sum, account) => sum + account.txs.length, 0);
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
