import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import {
  type Abi,
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  keccak256,
  toEventSelector,
} from "viem";
import { artifactFile, artifactText, compile } from "../tools/compile.ts";
import { fromHex, type Hex, toHex } from "./hex.ts";
import {
  BATCH_SETTLED_TOPIC,
  decodeBatchSettled,
  encodeIsSettledCall,
  encodeSetEtherbaseCall,
  encodeSettleCall,
  encodeVerifyInclusionCall,
  etherbaseSlot,
  InclusionVault,
  operatorSlot,
  ProofHub,
  predeployAlloc,
  ValidatorRegistry,
  VERIFY_PROOFS_ADDRESS,
} from "./index.ts";

const hubAbi = ProofHub.abi as Abi;
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const address = bytes(20).map(toHex);

test("recompiling the sources gives the committed artifacts, byte for byte and without a warning", () => {
  for (const artifact of compile()) {
    const committed = readFileSync(artifactFile(artifact.contractName), "utf8");
    assert.equal(artifactText(artifact), committed, `${artifact.contractName}: run tools/compile.ts`);
  }
});

test("the addresses are those of the formats", () => {
  const contracts = [ProofHub, InclusionVault, ValidatorRegistry].map(({ address: at }) => at);
  const low = [VERIFY_PROOFS_ADDRESS, ...contracts].map((at) => BigInt(at));
  assert.deepEqual(low, [0xc000n, 0xc001n, 0xc002n, 0xc003n]);
});

test("inclusion calls are those of an independent encoder", () => {
  const inclusion = fc.record({
    commitment: bytes(32).map(toHex),
    header: fc.uint8Array({ maxLength: 110 }).map(toHex),
    leaf: bytes(32).map(toHex),
    index: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    path: fc.array(bytes(32).map(toHex), { maxLength: 10 }),
  });
  fc.assert(
    fc.property(inclusion, (o) => {
      const args = [o.commitment, o.header, o.leaf, o.index, o.path];
      const expected = encodeFunctionData({ abi: hubAbi, functionName: "verifyInclusion", args });
      assert.equal(toHex(encodeVerifyInclusionCall(o)), expected);
    }),
  );
  const short = { commitment: "0x00", header: "0x", leaf: "0x00", index: 0, path: [] } as const;
  assert.throws(() => encodeVerifyInclusionCall(short), RangeError);
});

test("settle calls are those of an independent encoder", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      fc.uint8Array({ maxLength: 100 }),
      fc.array(address, { maxLength: 3 }),
      (number, batch, payers) => {
        const args = [number, toHex(batch), payers];
        const call = toHex(encodeSettleCall(number, batch, payers));
        assert.equal(call, encodeFunctionData({ abi: hubAbi, functionName: "settle", args }));
        const decoded = decodeFunctionData({ abi: hubAbi, data: call });
        assert.equal(decoded.functionName, "settle");
      },
    ),
  );
  assert.throws(() => encodeSettleCall(2n ** 64n, new Uint8Array(), []), RangeError);
  assert.throws(() => encodeSettleCall(1n, new Uint8Array(), ["0x00"]), RangeError);
});

test("isSettled calls are those of an independent encoder", () => {
  const commitment = toHex(new Uint8Array(32).fill(7));
  const expected = encodeFunctionData({ abi: hubAbi, functionName: "isSettled", args: [commitment] });
  assert.equal(toHex(encodeIsSettledCall(commitment)), expected);
  assert.throws(() => encodeIsSettledCall("0x07"), RangeError);
});

const EVENT = "BatchSettled(address,uint64,bytes32,bytes32,uint32,uint32,uint32,bytes)";

interface Settled {
  readonly submitter: Hex;
  readonly number: bigint;
  readonly commitment: Hex;
  readonly root: Hex;
  readonly size: number;
  readonly verified: number;
  readonly commitments: number;
  readonly excluded: Uint8Array;
}

function log(event: Settled): { topics: Hex[]; data: Hex } {
  const args = { submitter: event.submitter, number: event.number, commitment: event.commitment };
  const topics = encodeEventTopics({ abi: hubAbi, eventName: "BatchSettled", args });
  const types = ["bytes32", "uint32", "uint32", "uint32", "bytes"].map((type) => ({ type }));
  const values = [event.root, event.size, event.verified, event.commitments, toHex(event.excluded)];
  return { topics: topics.flat().filter((topic) => topic !== null), data: encodeAbiParameters(types, values) };
}

const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const settled: fc.Arbitrary<Settled> = fc.record({
  submitter: address,
  number: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  commitment: bytes(32).map(toHex),
  root: bytes(32).map(toHex),
  size: uint32,
  verified: uint32,
  commitments: uint32,
  excluded: fc.uint8Array({ maxLength: 70 }),
});

test("BatchSettled logs of an independent encoder are read back", () => {
  assert.equal(BATCH_SETTLED_TOPIC, toEventSelector(EVENT));
  fc.assert(fc.property(settled, (event) => assert.deepEqual(decodeBatchSettled(log(event)), { ...event })));
});

test("other logs and damaged ones are not BatchSettled", () => {
  const [event] = fc.sample(settled, { numRuns: 1, seed: 1 });
  assert.ok(event);
  const { topics, data } = log({ ...event, excluded: new Uint8Array(33).fill(1) });
  assert.ok(decodeBatchSettled({ topics, data }));
  assert.equal(decodeBatchSettled({ topics: topics.slice(0, 3), data }), undefined);
  assert.equal(decodeBatchSettled({ topics: [toHex(new Uint8Array(32)), ...topics.slice(1)], data }), undefined);
  assert.equal(decodeBatchSettled({ topics, data: data.slice(0, 2 + 64 * 6 + 64) as Hex }), undefined);
  assert.equal(decodeBatchSettled({ topics, data: "0x" }), undefined);
  const tooLarge = `${data.slice(0, 2 + 64)}01${data.slice(2 + 66)}` as Hex;
  assert.equal(decodeBatchSettled({ topics, data: tooLarge }), undefined);
});

test("the genesis storage is where the compiler puts the variables", () => {
  const places = Object.fromEntries(ValidatorRegistry.storageLayout.map(({ label, slot }) => [label, slot]));
  assert.deepEqual(places, { owner: "0", validators: "1", consensusAddresses: "2" });
  const pubKey = toHex(new Uint8Array(32).fill(5));
  const consensusAddress = toHex(createHash("sha256").update(fromHex(pubKey)).digest().subarray(0, 20));
  const owner = `0x${"01".repeat(20)}` as const;
  const operator = `0x${"02".repeat(20)}` as const;
  const etherbase = `0x${"03".repeat(20)}` as const;
  const alloc = predeployAlloc({ owner, validators: [{ consensusAddress, pubKey, power: 10n, operator, etherbase }] });
  const storage = alloc[ValidatorRegistry.address]?.storage;
  const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, "0")}`;
  const key = encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [consensusAddress, 1n]);
  const first = BigInt(keccak256(key));
  assert.deepEqual(storage, {
    [word(0n)]: word(BigInt(owner)),
    [word(2n)]: word(1n),
    [word(first)]: pubKey,
    [word(first + 1n)]: word((10n << 160n) | BigInt(operator)),
    [word(first + 2n)]: word(BigInt(etherbase)),
    [word(BigInt(keccak256(word(2n))))]: word(BigInt(consensusAddress)),
  });
  assert.equal(toHex(etherbaseSlot(fromHex(consensusAddress))), word(first + 2n));
  assert.throws(() => etherbaseSlot(new Uint8Array(19)), RangeError);
  assert.equal(toHex(operatorSlot(fromHex(consensusAddress))), word(first + 1n));
  const call = encodeSetEtherbaseCall(fromHex(consensusAddress), etherbase);
  const args = [consensusAddress, etherbase];
  assert.equal(
    toHex(call),
    encodeFunctionData({ abi: ValidatorRegistry.abi as Abi, functionName: "setEtherbase", args }),
  );
});
