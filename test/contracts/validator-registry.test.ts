/** `ValidatorRegistry` on a real chain: what genesis wrote is what the contract reads, and who may change what. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { etherbaseSlot, ValidatorRegistry } from "@cairn/contracts";
import { bytesToHex, type Hex, hexToBytes, sha256 } from "@cairn/primitives";
import {
  type Abi,
  decodeErrorResult,
  decodeEventLog,
  decodeFunctionResult,
  encodeFunctionData,
  getAddress,
  zeroAddress,
} from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { type HubChain, openHubChain, sender } from "./hub-chain.ts";

const abi = ValidatorRegistry.abi as Abi;
const [owner, operator, stranger] = [sender(0), sender(1), sender(2)];
const keyOf = (byte: number): Hex => bytesToHex(new Uint8Array(32).fill(byte));
const addressOf = (pubKey: Hex): Hex => bytesToHex(sha256(hexToBytes(pubKey)).subarray(0, 20));
const etherbase: Hex = "0x00000000000000000000000000000000000000e1";
const first = addressOf(keyOf(7));

let chain: HubChain;
before(async () => {
  const pubKey = keyOf(7);
  chain = await openHubChain([{ consensusAddress: first, pubKey, power: 10n, operator: operator.address, etherbase }]);
});
after(() => chain.close());

async function read(functionName: string, args: readonly unknown[] = []): Promise<unknown> {
  const outcome = await chain.call(
    stranger,
    ValidatorRegistry.address,
    encodeFunctionData({ abi, functionName, args }),
  );
  assert.ok(outcome.ok);
  return decodeFunctionResult({ abi, functionName, data: outcome.data });
}

async function change(from: PrivateKeyAccount, functionName: string, args: readonly unknown[]) {
  const data = encodeFunctionData({ abi, functionName, args });
  const { tx, logs } = await chain.send(from, ValidatorRegistry.address, data);
  assert.ok(tx.success);
  const events = logs.map(({ topics: [signature, ...rest], data }) =>
    signature === undefined ? undefined : decodeEventLog({ abi, topics: [signature, ...rest], data }).eventName,
  );
  return events;
}

async function errorOf(from: PrivateKeyAccount, functionName: string, args: readonly unknown[]): Promise<string> {
  const outcome = await chain.call(from, ValidatorRegistry.address, encodeFunctionData({ abi, functionName, args }));
  assert.equal(outcome.ok, false);
  return decodeErrorResult({ abi, data: outcome.data }).errorName;
}

function etherbaseOf(consensusAddress: Hex): Hex {
  const word = chain.native.storage(
    ValidatorRegistry.address,
    etherbaseSlot(hexToBytes(consensusAddress)),
    chain.native.head().number,
  );
  assert.ok(word);
  return bytesToHex(word.subarray(12));
}

test("genesis storage is read by the contract", async () => {
  assert.equal(await read("owner"), owner.address);
  assert.equal(await read("count"), 1n);
  assert.equal(String(await read("consensusAddressAt", [0n])).toLowerCase(), first);
  const validator = await read("validator", [first]);
  assert.deepEqual(validator, {
    pubKey: keyOf(7),
    operator: operator.address,
    power: 10n,
    etherbase: getAddress(etherbase),
  });
  assert.equal(etherbaseOf(first), etherbase);
});

test("an operator changes its etherbase, nobody else does", async () => {
  const next: Hex = "0x00000000000000000000000000000000000000e2";
  assert.equal(await errorOf(stranger, "setEtherbase", [first, next]), "NotOperator");
  assert.equal(await errorOf(owner, "setEtherbase", [first, next]), "NotOperator");
  assert.deepEqual(await change(operator, "setEtherbase", [first, next]), ["EtherbaseSet"]);
  assert.equal(etherbaseOf(first), next);
});

test("the owner adds and retires validators under the address of their key", async () => {
  const args = [keyOf(9), 5n, operator.address, zeroAddress];
  assert.equal(await errorOf(stranger, "setValidator", args), "NotOwner");
  assert.equal(await errorOf(owner, "setValidator", args.with(0, keyOf(0))), "ZeroValue");
  assert.equal(await errorOf(owner, "setValidator", args.with(2, zeroAddress)), "ZeroValue");
  assert.deepEqual(await change(owner, "setValidator", args), ["ValidatorSet"]);
  assert.equal(await read("count"), 2n);
  assert.equal(String(await read("consensusAddressAt", [1n])).toLowerCase(), addressOf(keyOf(9)));
  assert.deepEqual(await change(owner, "setValidator", args.with(1, 0n)), ["ValidatorSet"]);
  assert.equal(await read("count"), 2n);
  const validator = await read("validator", [addressOf(keyOf(9))]);
  assert.deepEqual(validator, { pubKey: keyOf(9), operator: operator.address, power: 0n, etherbase: zeroAddress });
});

test("the owner hands the registry over", async () => {
  assert.equal(await errorOf(stranger, "setOwner", [stranger.address]), "NotOwner");
  assert.equal(await errorOf(owner, "setOwner", [zeroAddress]), "ZeroValue");
  assert.deepEqual(await change(owner, "setOwner", [operator.address]), ["OwnerSet"]);
  assert.equal(await read("owner"), operator.address);
});
