/** Calls and logs of the vault against two independent ABI implementations, viem and ethers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Interface, type InterfaceAbi } from "ethers";
import fc from "fast-check";
import { type Abi, encodeFunctionData, toEventSelector } from "viem";
import { type Hex, toHex } from "./hex.ts";
import {
  decodeVaultEvent,
  encodeVaultCall,
  InclusionVault,
  predeployAlloc,
  SHORTFALL_REASONS,
  VAULT_TOPICS,
  type VaultCall,
  type VaultEvent,
} from "./index.ts";

const abi = InclusionVault.abi as Abi;
const ethers = new Interface(InclusionVault.abi as InterfaceAbi);
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(toHex);
const uint = (bits: number) => fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n });
const int = (bits: number) => fc.nat(2 ** bits - 1);

const calls: fc.Arbitrary<VaultCall> = fc.oneof(
  fc.record({ name: fc.constantFrom("deposit" as const, "withdraw" as const, "claim" as const) }),
  fc.record({ name: fc.constant("depositFor" as const), payer: address }),
  fc.record({
    name: fc.constant("allow" as const),
    settler: address,
    maxPerProofWei: uint(128),
    maxPerDayWei: uint(128),
  }),
  fc.record({ name: fc.constant("requestWithdrawal" as const), amountWei: uint(128) }),
  fc.record({ name: fc.constant("cover" as const), settler: address, amountWei: uint(256) }),
);

test("calls are those of two independent encoders", () => {
  fc.assert(
    fc.property(calls, (call) => {
      const { name, ...rest } = call;
      const args = Object.values(rest);
      const data = toHex(encodeVaultCall(call));
      assert.equal(data, encodeFunctionData({ abi, functionName: name, args }));
      assert.equal(data, ethers.encodeFunctionData(name, args));
    }),
  );
  assert.throws(() => encodeVaultCall({ name: "requestWithdrawal", amountWei: 1n << 128n }), RangeError);
  assert.throws(() => encodeVaultCall({ name: "depositFor", payer: "0x00" }), RangeError);
});

const events: fc.Arbitrary<VaultEvent> = fc.oneof(
  fc.record({ name: fc.constant("deposited" as const), payer: address, from: address, amountWei: uint(256) }),
  fc.record({
    name: fc.constant("allowed" as const),
    payer: address,
    settler: address,
    maxPerProofWei: uint(128),
    maxPerDayWei: uint(128),
  }),
  fc.record({ name: fc.constant("requested" as const), payer: address, amountWei: uint(256), availableAt: uint(64) }),
  fc.record({ name: fc.constant("withdrawn" as const), payer: address, amountWei: uint(256) }),
  fc.record({
    name: fc.constant("charged" as const),
    ...{ payer: address, settler: address, number: uint(64), amountWei: uint(256) },
    ...{ count: int(32), day: int(40), spentWei: uint(128) },
  }),
  fc.record({
    name: fc.constant("shortfall" as const),
    ...{ payer: address, settler: address, number: uint(64), amountWei: uint(256) },
    reason: fc.constantFrom(...SHORTFALL_REASONS),
  }),
  fc.record({ name: fc.constant("covered" as const), payer: address, settler: address, amountWei: uint(256) }),
  fc.record({ name: fc.constant("claimed" as const), settler: address, amountWei: uint(256) }),
);

const SOLIDITY_NAMES: Readonly<Record<VaultEvent["name"], string>> = {
  deposited: "Deposited",
  allowed: "Allowed",
  requested: "WithdrawalRequested",
  withdrawn: "Withdrawn",
  charged: "Charged",
  shortfall: "Shortfall",
  covered: "Covered",
  claimed: "Claimed",
};

const reasons: readonly unknown[] = SHORTFALL_REASONS;

/** The event as ethers writes its log. */
function logOf(event: VaultEvent): { topics: Hex[]; data: Hex } {
  const { name, ...rest } = event;
  const values = Object.entries(rest).map(([key, value]) => (key === "reason" ? reasons.indexOf(value) : value));
  const { topics, data } = ethers.encodeEventLog(SOLIDITY_NAMES[name], values);
  return { topics: topics as Hex[], data: data as Hex };
}

test("logs of an independent encoder are read back; damaged ones are not", () => {
  fc.assert(
    fc.property(events, (event) => {
      const { topics, data } = logOf(event);
      assert.deepEqual(decodeVaultEvent({ topics, data }), { ...event });
      assert.equal(decodeVaultEvent({ topics: topics.slice(0, -1), data }), undefined);
      assert.equal(decodeVaultEvent({ topics, data: `${data}00` }), undefined);
      assert.equal(decodeVaultEvent({ topics: topics.with(1, `0xff${"ff".repeat(31)}`), data }), undefined);
    }),
  );
  const [topics, data] = [[VAULT_TOPICS.shortfall, ...Array(3).fill(`0x${"00".repeat(32)}`)], `0x${"00".repeat(63)}05`];
  assert.equal(decodeVaultEvent({ topics, data: data as Hex }), undefined, "an unknown reason");
});

test("the topics are the events' own", () => {
  for (const [name, topic] of Object.entries(VAULT_TOPICS)) {
    const solidityName = SOLIDITY_NAMES[name as VaultEvent["name"]];
    const item = abi.find((entry) => entry.type === "event" && entry.name === solidityName);
    assert.ok(item?.type === "event");
    assert.equal(topic, toEventSelector(item));
  }
});

test("genesis writes the delay where the compiler reads it", () => {
  const [first] = InclusionVault.storageLayout;
  assert.deepEqual([first?.label, first?.slot], ["withdrawalDelay", "0"]);
  const of = (withdrawalDelaySeconds?: bigint) => {
    const delay = withdrawalDelaySeconds === undefined ? {} : { withdrawalDelaySeconds };
    const alloc = predeployAlloc({ owner: `0x${"01".repeat(20)}`, validators: [], ...delay });
    return Object.values(alloc[InclusionVault.address]?.storage ?? {}).map((word) => BigInt(word));
  };
  assert.deepEqual([of(), of(5n), of(0n)], [[3_600n], [5n], []]);
  assert.throws(() => of(1n << 32n), RangeError);
});
