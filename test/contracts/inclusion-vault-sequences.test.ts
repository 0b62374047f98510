/**
 * Random sequences of deposits, permissions, settlements, withdrawals and claims by several payers and settlers: the
 * vault does what the model does, and after each step it holds at least what it owes.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { InclusionVault } from "@cairn/contracts";
import fc from "fast-check";
import { paidBatch } from "./batch-slots.ts";
import { sender } from "./hub-chain.ts";
import { openVaultChain, type VaultChain } from "./vault-chain.ts";
import { type ModelSlot, VaultModel } from "./vault-model.ts";

const PAYERS = [1, 2, 3] as const;
const SETTLERS = [0, 4] as const;
const DELAY = 7_200n;

type Step =
  | { readonly do: "deposit"; readonly by: number; readonly payer: number; readonly amount: bigint }
  | {
      readonly do: "allow";
      readonly payer: number;
      readonly settler: number;
      readonly perProof: bigint;
      readonly perDay: bigint;
    }
  | { readonly do: "request"; readonly payer: number; readonly amount: bigint }
  | { readonly do: "withdraw"; readonly payer: number }
  | { readonly do: "cover"; readonly payer: number; readonly settler: number; readonly amount: bigint }
  | { readonly do: "claim"; readonly settler: number }
  | { readonly do: "wait"; readonly seconds: bigint }
  | {
      readonly do: "settle";
      readonly settler: number;
      readonly payers: readonly number[];
      readonly slots: readonly ModelSlot[];
    };

const payer = fc.constantFrom(...PAYERS);
const settler = fc.constantFrom(...SETTLERS);
const amount = fc.bigInt({ min: 0n, max: 400n });
const slots = fc.array(
  fc.record({ payerIndex: fc.nat(3), priceWei: fc.bigInt({ min: 0n, max: 60n }), excluded: fc.boolean() }),
  { minLength: 4, maxLength: 9 },
);
const settle = fc
  .record({
    do: fc.constant("settle" as const),
    settler,
    payers: fc.array(payer, { minLength: 1, maxLength: 4 }),
    slots,
  })
  .map((o) => ({ ...o, slots: o.slots.map((s) => ({ ...s, payerIndex: s.payerIndex % o.payers.length })) }));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("deposit" as const), by: payer, payer, amount }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("allow" as const),
      payer,
      settler,
      perProof: fc.bigInt(0n, 80n),
      perDay: fc.bigInt(0n, 300n),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("request" as const), payer, amount }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("withdraw" as const), payer }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("cover" as const), payer, settler, amount: fc.bigInt(0n, 90n) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("claim" as const), settler }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), seconds: fc.bigInt(1n, 50_000n) }) },
  { weight: 7, arbitrary: settle },
);

const addressOf = (index: number) => sender(index).address;
const lower = (index: number) => addressOf(index).toLowerCase();

/** Does it on the chain and in the model; both must agree on success and outcome. */
async function run(chain: VaultChain, model: VaultModel, s: Step): Promise<void> {
  const now = (): bigint => chain.native.head().timestamp;
  switch (s.do) {
    case "wait":
      return chain.advance(s.seconds);
    case "deposit": {
      if (!model.deposit(s.payer, s.amount)) return void (await chain.errorOf(sender(s.by), { name: "deposit" }));
      return void (await chain.act(sender(s.by), { name: "depositFor", payer: addressOf(s.payer) }, s.amount));
    }
    case "allow": {
      model.allow(s.payer, s.settler, s.perProof, s.perDay);
      const limits = { maxPerProofWei: s.perProof, maxPerDayWei: s.perDay };
      return void (await chain.act(sender(s.payer), { name: "allow", settler: addressOf(s.settler), ...limits }));
    }
    case "request": {
      const call = { name: "requestWithdrawal" as const, amountWei: s.amount };
      if (s.amount > model.balance(s.payer)) return void (await chain.errorOf(sender(s.payer), call));
      await chain.act(sender(s.payer), call);
      return void assert.ok(model.request(s.payer, s.amount, now()));
    }
    case "withdraw":
      return withdraw(chain, model, s.payer);
    case "cover": {
      const call = { name: "cover" as const, settler: addressOf(s.settler), amountWei: s.amount };
      if (!model.cover(s.payer, s.settler, s.amount)) return void (await chain.errorOf(sender(s.payer), call));
      return void (await chain.act(sender(s.payer), call));
    }
    case "claim": {
      const amountWei = model.claim(s.settler);
      if (amountWei === undefined) return void (await chain.errorOf(sender(s.settler), { name: "claim" }));
      const events = await chain.act(sender(s.settler), { name: "claim" });
      return assert.deepEqual(events, [{ name: "claimed", settler: lower(s.settler), amountWei }]);
    }
    case "settle":
      return settleBatch(chain, model, s);
  }
}

/** Each payer is charged, or falls short with a reason, as the model says. */
async function settleBatch(chain: VaultChain, model: VaultModel, s: Step & { readonly do: "settle" }): Promise<void> {
  const events = await chain.settle(sender(s.settler), paidBatch(s.payers.length, s.slots), s.payers.map(addressOf));
  const outcomes = model.settle(s.settler, s.payers, s.slots, chain.native.head().timestamp);
  const got = events.map((e) =>
    e.name === "charged" || e.name === "shortfall"
      ? [e.payer, e.amountWei, e.name === "shortfall" ? e.reason : undefined]
      : [e.name],
  );
  assert.deepEqual(
    got,
    outcomes.map((o) => [lower(o.payer), o.amount, o.reason]),
  );
}

/** What is requested and due is always paid, to the wei. */
async function withdraw(chain: VaultChain, model: VaultModel, by: number): Promise<void> {
  const before = chain.balance(InclusionVault.address);
  const due = model.requests.get(by);
  // A block is one second after the last one unless a wait came before; ask the chain whether it is due.
  const { tx } = await chain.send(sender(by), InclusionVault.address, "0x3ccfd60b");
  const paid = model.withdraw(by, chain.native.head().timestamp);
  assert.equal(tx.success, paid !== undefined, `due ${due?.availableAt}`);
  assert.equal(before - chain.balance(InclusionVault.address), paid ?? 0n);
}

async function check(chain: VaultChain, model: VaultModel): Promise<void> {
  let total = 0n;
  for (const index of PAYERS) {
    const balance = await chain.read("balanceOf", addressOf(index));
    assert.equal(balance, model.balance(index));
    total += model.balance(index);
    for (const by of SETTLERS) {
      const debt = await chain.read("owed", addressOf(index), addressOf(by));
      assert.equal(debt, model.owed.get(`${index} ${by}`) ?? 0n);
    }
  }
  for (const by of SETTLERS) {
    assert.equal(await chain.read("claimable", addressOf(by)), model.claimable.get(by) ?? 0n);
    total += model.claimable.get(by) ?? 0n;
  }
  assert.equal(chain.balance(InclusionVault.address), total, "the vault holds exactly balances and unclaimed charges");
}

test("random sequences do what the model does and never leave the vault short", { timeout: 300_000 }, async () => {
  const numRuns = Number(process.env.CAIRN_VAULT_RUNS ?? 8);
  const sequences = fc.array(step, { minLength: 25, maxLength: 60, size: "max" });
  await fc.assert(
    fc.asyncProperty(sequences, async (steps) => {
      const chain = await openVaultChain(DELAY);
      const model = new VaultModel(DELAY);
      try {
        for (const one of steps) {
          await run(chain, model, one);
          await check(chain, model);
        }
        await everythingComesBack(chain, model);
      } finally {
        await chain.close();
      }
    }),
    { numRuns, endOnFailure: true },
  );
});

/** Whatever happened before, each payer gets its balance back and each settler its charges; nothing remains. */
async function everythingComesBack(chain: VaultChain, model: VaultModel): Promise<void> {
  for (const index of PAYERS) {
    if (model.balance(index) === 0n) continue;
    await run(chain, model, { do: "request", payer: index, amount: model.balance(index) });
  }
  chain.advance(DELAY);
  for (const index of PAYERS) await run(chain, model, { do: "withdraw", payer: index });
  for (const by of SETTLERS) await run(chain, model, { do: "claim", settler: by });
  assert.equal(chain.balance(InclusionVault.address), 0n);
}
