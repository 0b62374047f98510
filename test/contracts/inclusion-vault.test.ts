/** `InclusionVault` on a real chain with the real hub and precompile: who pays what, who is skipped, who gets it back. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { encodeSettleCall, encodeVaultCall, InclusionVault, ProofHub } from "@cairn/contracts";
import { bytesToHex, type Hex } from "@cairn/primitives";
import { type Abi, encodeFunctionData } from "viem";
import { settlementGasLimit, slotGas } from "../../packages/aggregator/src/settlement-gas.ts";
import { compile } from "../solidity.ts";
import { paidBatch } from "./batch-slots.ts";
import { sender } from "./hub-chain.ts";
import { openVaultChain, type VaultChain } from "./vault-chain.ts";

const [settler, alice, bob, carol, stranger] = [sender(0), sender(1), sender(2), sender(3), sender(4)];
const DELAY = 600n;
const ample = { maxPerProofWei: 1_000n, maxPerDayWei: 10_000n };
const lower = (address: Hex): Hex => `0x${address.slice(2).toLowerCase()}`;

let chain: VaultChain;
before(async () => {
  chain = await openVaultChain(DELAY);
});
after(() => chain.close());

test("genesis sets the delay", async () => {
  assert.equal(await chain.read("withdrawalDelay"), DELAY);
});

test("deposits count for their payer, whoever sends them", async () => {
  assert.deepEqual(await chain.act(alice, { name: "deposit" }, 500n), [
    { name: "deposited", payer: lower(alice.address), from: lower(alice.address), amountWei: 500n },
  ]);
  assert.deepEqual(await chain.act(bob, { name: "depositFor", payer: alice.address }, 100n), [
    { name: "deposited", payer: lower(alice.address), from: lower(bob.address), amountWei: 100n },
  ]);
  assert.equal(await chain.read("balanceOf", alice.address), 600n);
  assert.equal(chain.balance(InclusionVault.address), 600n);
  assert.equal(await chain.errorOf(bob, { name: "deposit" }), "ZeroAmount");
});

test("plain transfers and deposits for nobody are refused", async () => {
  const plain = await chain.send(bob, InclusionVault.address, "0x", 5n);
  assert.equal(plain.tx.success, false);
  const nobody = bytesToHex(encodeVaultCall({ name: "depositFor", payer: `0x${"00".repeat(20)}` }));
  assert.equal((await chain.send(bob, InclusionVault.address, nobody, 5n)).tx.success, false);
  assert.equal(chain.balance(InclusionVault.address), 600n);
});

test("without permission nobody is charged, and the others are", async () => {
  await chain.act(bob, { name: "deposit" }, 500n);
  await chain.act(bob, { name: "allow", settler: settler.address, ...ample });
  const batch = paidBatch(2, [
    { payerIndex: 0, priceWei: 70n },
    { payerIndex: 1, priceWei: 40n },
    { payerIndex: 1, priceWei: 41n },
    { payerIndex: 1, priceWei: 900n, excluded: true },
  ]);
  const [skipped, charged] = await chain.settle(settler, batch, [alice.address, bob.address]);
  const common = { settler: lower(settler.address), number: 1n };
  const reason = "not-allowed" as const;
  assert.deepEqual(skipped, { name: "shortfall", ...common, payer: lower(alice.address), amountWei: 70n, reason });
  assert.ok(charged?.name === "charged");
  assert.deepEqual([charged.payer, charged.amountWei, charged.count], [lower(bob.address), 81n, 2]);
  assert.equal(charged.spentWei, 81n);
  assert.equal(await chain.read("balanceOf", alice.address), 600n);
  assert.equal(await chain.read("balanceOf", bob.address), 419n);
  assert.equal(await chain.read("owed", alice.address, settler.address), 70n);
  assert.equal(await chain.read("claimable", settler.address), 81n);
});

test("what is owed is covered by the payer alone, in parts", async () => {
  const cover = (amountWei: bigint) => ({ name: "cover" as const, settler: settler.address, amountWei });
  assert.equal(await chain.errorOf(alice, cover(71n)), "AboveOwed 70 71");
  assert.equal(await chain.errorOf(alice, cover(0n)), "ZeroAmount");
  assert.equal(await chain.errorOf(bob, cover(1n)), "AboveOwed 0 1");
  await chain.act(alice, cover(30n));
  await chain.act(alice, cover(40n));
  assert.equal(await chain.read("owed", alice.address, settler.address), 0n);
  assert.equal(await chain.read("balanceOf", alice.address), 530n);
  assert.equal(await chain.read("claimable", settler.address), 151n);
});

test("limits hold to the wei, for a proof and for a day, and a new day is a new limit", async () => {
  await chain.act(alice, { name: "allow", settler: settler.address, maxPerProofWei: 50n, maxPerDayWei: 60n });
  const one = (priceWei: bigint) => paidBatch(1, [{ payerIndex: 0, priceWei }]);
  const outcome = async (priceWei: bigint) => {
    const [event] = await chain.settle(settler, one(priceWei), [alice.address]);
    return event?.name === "shortfall" ? event.reason : event?.name;
  };
  chain.advance(86_400n);
  assert.equal(await outcome(51n), "above-max-per-proof");
  assert.equal(await outcome(50n), "charged");
  assert.equal(await outcome(11n), "above-max-per-day");
  await chain.act(alice, { name: "allow", settler: settler.address, maxPerProofWei: 50n, maxPerDayWei: 61n });
  assert.equal(await outcome(11n), "charged", "what was charged before counts, no more");
  chain.advance(86_400n);
  assert.equal(await outcome(50n), "charged");
  await chain.act(alice, { name: "allow", settler: settler.address, maxPerProofWei: 0n, maxPerDayWei: 0n });
  assert.equal(await outcome(1n), "not-allowed");
  assert.equal(await outcome(0n), undefined, "a slot without price charges nobody");
});

test("a payer named twice in one batch pays once", async () => {
  await chain.act(carol, { name: "deposit" }, 100n);
  await chain.act(carol, { name: "allow", settler: settler.address, ...ample });
  const batch = paidBatch(2, [
    { payerIndex: 0, priceWei: 10n },
    { payerIndex: 1, priceWei: 10n },
  ]);
  const events = await chain.settle(settler, batch, [carol.address, carol.address]);
  assert.deepEqual(
    events.map((event) => (event.name === "shortfall" ? event.reason : event.name)),
    ["charged", "named-before"],
  );
  assert.equal(await chain.read("balanceOf", carol.address), 90n);
  assert.equal(await chain.read("owed", carol.address, settler.address), 0n);
});

test("another settler is not covered by the permission, nor by the numbers", async () => {
  const [event] = await chain.settle(stranger, paidBatch(1, [{ payerIndex: 0, priceWei: 10n }]), [carol.address]);
  assert.ok(event?.name === "shortfall" && event.reason === "not-allowed");
  assert.equal(await chain.read("balanceOf", carol.address), 90n);
});

test("only ProofHub charges", async () => {
  const args = [settler.address, 99n, [carol.address], `0x${"00".repeat(52)}`];
  const data = encodeFunctionData({ abi: InclusionVault.abi as Abi, functionName: "charge", args });
  const { tx } = await chain.send(settler, InclusionVault.address, data);
  assert.equal(tx.success, false);
});

test("a withdrawal waits for its delay and pays what charges left", async () => {
  assert.equal(await chain.errorOf(carol, { name: "requestWithdrawal", amountWei: 91n }), "AboveBalance 90 91");
  assert.equal(await chain.errorOf(carol, { name: "withdraw" }), "NothingRequested");
  const [requested] = await chain.act(carol, { name: "requestWithdrawal", amountWei: 90n });
  assert.ok(requested?.name === "requested" && requested.amountWei === 90n);
  assert.match(await chain.errorOf(carol, { name: "withdraw" }), /^TooEarly /);
  const [charged] = await chain.settle(settler, paidBatch(1, [{ payerIndex: 0, priceWei: 15n }]), [carol.address]);
  assert.equal(charged?.name, "charged", "a charge may use what is requested");
  chain.advance(DELAY);
  const [withdrawn] = await chain.act(carol, { name: "withdraw" });
  assert.deepEqual(withdrawn, { name: "withdrawn", payer: lower(carol.address), amountWei: 75n });
  assert.equal(await chain.read("balanceOf", carol.address), 0n);
  assert.equal(await chain.errorOf(carol, { name: "withdraw" }), "NothingRequested");
});

test("a request can be replaced and taken back", async () => {
  await chain.act(bob, { name: "requestWithdrawal", amountWei: 100n });
  await chain.act(bob, { name: "requestWithdrawal", amountWei: 10n });
  assert.deepEqual(await chain.read("requestOf", bob.address), [10n, chain.native.head().timestamp + DELAY]);
  await chain.act(bob, { name: "requestWithdrawal", amountWei: 0n });
  assert.equal(await chain.errorOf(bob, { name: "withdraw" }), "NothingRequested");
});

test("a settler claims its charges once", async () => {
  const claimable = await chain.read("claimable", settler.address);
  const before = chain.balance(InclusionVault.address);
  const [event] = await chain.act(settler, { name: "claim" });
  assert.deepEqual(event, { name: "claimed", settler: lower(settler.address), amountWei: claimable });
  assert.equal(chain.balance(InclusionVault.address), before - BigInt(String(claimable)));
  assert.equal(await chain.errorOf(settler, { name: "claim" }), "ZeroAmount");
  assert.equal(await chain.errorOf(bob, { name: "claim" }), "ZeroAmount");
});

const ATTACKER = `
interface Vault {
  function deposit() external payable;
  function requestWithdrawal(uint128) external;
  function withdraw() external returns (uint256);
  function claim() external returns (uint256);
}
contract Attacker {
  Vault constant vault = Vault(address(0xc002));
  uint256 public entered;
  bool public again;
  bool public refusing;
  function prepare() external payable { vault.deposit{value: msg.value}(); vault.requestWithdrawal(uint128(msg.value)); }
  function refuse(bool on) external { refusing = on; }
  function attack() external { entered = 0; vault.withdraw(); }
  receive() external payable {
    require(!refusing, "refused");
    entered += 1;
    (bool first,) = address(vault).call(abi.encodeCall(Vault.withdraw, ()));
    (bool second,) = address(vault).call(abi.encodeCall(Vault.claim, ()));
    (bool third,) = address(vault).call(abi.encodeCall(Vault.requestWithdrawal, (1)));
    again = first || second || third;
  }
}`;

test("a receiver that calls back gets its own money once, one that refuses loses nothing", async () => {
  const { abi, bytecode } = compile(ATTACKER);
  const { tx } = await chain.send(bob, undefined, bytecode);
  const at = tx.contractAddress;
  assert.ok(at !== null);
  const run = (functionName: string, args: readonly unknown[] = [], valueWei = 0n) =>
    chain.send(bob, at, encodeFunctionData({ abi, functionName, args }), valueWei);
  const vaultBefore = chain.balance(InclusionVault.address);
  assert.ok((await run("prepare", [], 1_000n)).tx.success);
  chain.advance(DELAY);
  await run("refuse", [true]);
  assert.equal((await run("attack")).tx.success, false);
  assert.equal(await chain.read("balanceOf", at), 1_000n);
  await run("refuse", [false]);
  assert.ok((await run("attack")).tx.success);
  assert.equal(chain.balance(at), 1_000n);
  assert.equal(chain.balance(InclusionVault.address), vaultBefore);
  const state = async (functionName: string) =>
    BigInt((await chain.call(bob, at, encodeFunctionData({ abi, functionName }))).data);
  assert.deepEqual([await state("entered"), await state("again")], [1n, 0n]);
});

test("gas of a settlement covers every payer: charged for the first time, again, and skipped", async () => {
  const fresh = await openVaultChain();
  try {
    const payers = Array.from({ length: 60 }, (_, index): Hex => `0x${(index + 1).toString(16).padStart(40, "7")}`);
    const known = [alice, bob, carol].map(({ address }) => address);
    for (const account of [alice, bob, carol]) {
      await fresh.act(account, { name: "deposit" }, 1_000n);
      await fresh.act(account, { name: "allow", settler: settler.address, ...ample });
    }
    const all = [...known, ...payers];
    const slots = all.map((_, payerIndex) => ({ payerIndex, priceWei: 5n }));
    const batch = paidBatch(all.length, slots);
    for (const number of [1n, 2n]) {
      const data = bytesToHex(encodeSettleCall(number, batch, all));
      const { tx } = await fresh.send(settler, ProofHub.address, data);
      assert.ok(tx.success);
      const verificationGas =
        slots.length * slotGas({ kind: "commitment", curve: "", proofBytes: 32, publicInputsBytes: 0 });
      const limit = settlementGasLimit({ batchBytes: batch.length, verificationGas, payers: all.length });
      const withoutHub = limit - 1_500_000;
      assert.ok(
        Number(tx.gasUsed) < withoutHub,
        `batch ${number} used ${tx.gasUsed}, payers and slots allow ${withoutHub}`,
      );
    }
  } finally {
    await fresh.close();
  }
});
