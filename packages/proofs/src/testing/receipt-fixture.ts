/** A whole, consistent receipt for tests: own validator keys, own blocks on both chains, real proof of work. */
import {
  headerHash as bitcoinHash,
  merkleRoot as bitcoinRoot,
  displayHash,
  serializeBlock,
  transactionId,
} from "@cairn/bitcoin";
import {
  type Commit,
  type Header as ConsensusHeader,
  commitToJson,
  headerHash as consensusHash,
  createValidator,
  headerToJson,
  orderValidators,
  validatorsHash,
  validatorsToJson,
  voteSignBytes,
} from "@cairn/comet";
import {
  type Address,
  bytesToHex,
  concatBytes,
  encodeHeader,
  encodeReceipt,
  encodeTransaction,
  headerHash,
  hexToBytes,
  keccak256,
  listTrieRoot,
  logsBloom,
  sha256,
  type Transaction,
} from "@cairn/primitives";
import { ed25519 } from "@noble/curves/ed25519.js";
import { anchorCommitment, anchorHeader, anchorLeaf } from "../anchor-header.ts";
import { anchorPart, assembleReceipt, settlementPart } from "../assemble-receipt.ts";
import { batchCommitment, batchHeader } from "../batch-header.ts";
import { leafHash, leafPreimage } from "../leaf.ts";
import { merkleRoot } from "../merkle-tree.ts";
import { opReturnData } from "../op-return.ts";
import { batchSettledTopic, PROOF_HUB_ADDRESS } from "../proof-hub.ts";
import { recordV1 } from "../record.ts";
import type { BatchHeader, JsonObject, LeafRecord, Receipt, ReceiptSettlement } from "../types.ts";
import { text, uint } from "../wire.ts";
import { coinbase, solve, spend } from "./bitcoin-fixture.ts";

/** EVM chain id of the fixture's chain. */
export const EVM_CHAIN_ID = 358587n;

/** Canonical proof bytes of the fixture's leaf: any 256 bytes. */
export const CANONICAL_PROOF = new Uint8Array(256).map((_, i) => i);

const SUBMITTER: Address = "0xa11ce00000000000000000000000000000000001";
const BLOCK_NUMBER = 41n;
const TIME = { seconds: 1_700_000_041n, nanos: 123_456_789 };
const seed = (label: string): Uint8Array => sha256(text(label));

/** What a fixture is made of, for tests that put other parts together. */
export interface ReceiptFixture {
  readonly receipt: Receipt;
  /** 0x-hex. */
  readonly validatorsHash: string;
  readonly ethereumHash: string;
  readonly consensusHash: string;
  /** Display order. */
  readonly bitcoinHash: string;
  readonly bitcoinHeight: number;
}

/** The anchor of the fixture's batch: what goes into OP_RETURN, and how its block becomes the receipt's anchor. */
export function anchorContent(commitment: Uint8Array): { commitments: Uint8Array[]; index: number; data: Uint8Array } {
  const commitments = [seed("other batch 1"), seed("other batch 2"), commitment];
  const root = merkleRoot(commitments.map(anchorLeaf));
  const sequence = 70_001n;
  const header = anchorHeader({ sequence, size: commitments.length, root });
  return { commitments, index: 2, data: opReturnData({ sequence, commitment: anchorCommitment(header) }) };
}

/** A settled receipt without anchor. */
export function settledReceipt(): ReceiptFixture {
  const index = 6;
  const record = fixtureRecord();
  const proofHash = sha256(CANONICAL_PROOF);
  const leaves = Array.from({ length: 11 }, (_, i) => leafHash(seed(`leaf ${i}`)));
  leaves[index] = leafHash(leafPreimage(proofHash, recordV1(record)));
  const header: BatchHeader = {
    chainId: EVM_CHAIN_ID,
    submitter: hexToBytes(SUBMITTER),
    number: 9n,
    size: leaves.length,
    root: merkleRoot(leaves),
    previous: seed("batch 8"),
  };
  const settled = settlementOf(header);
  const receipt = assembleReceipt({
    info: { environment: "sandbox", id: `0x${"1d".repeat(32)}`, state: "settled" },
    record,
    proofHash,
    batch: { header, leaves, index },
    settlement: settled.settlement,
    anchor: null,
  });
  return { ...settled.hashes, receipt, bitcoinHash: "", bitcoinHeight: 0 };
}

/** A receipt with its anchor in a mined block at height 321. */
export function anchoredReceipt(): ReceiptFixture {
  const settled = settledReceipt();
  const { commitments, index, data } = anchorContent(hexToBytes(settled.receipt.batch.commitment));
  const height = 321;
  const transactions = [coinbase(height), spend("a"), spend("b"), spend("c", data), spend("d")];
  const header = solve(bitcoinRoot(transactions.map(transactionId)));
  const [, , , anchorTx] = transactions;
  if (anchorTx === undefined) throw new RangeError("no anchor transaction");
  const anchor = anchorPart({
    network: "regtest",
    sequence: 70_001n,
    commitments,
    index,
    txid: displayHash(transactionId(anchorTx)),
    block: serializeBlock({ header, transactions }),
  });
  const receipt = { ...settled.receipt, anchor };
  return { ...settled, receipt, bitcoinHash: displayHash(bitcoinHash(header)), bitcoinHeight: height };
}

function fixtureRecord(): LeafRecord {
  return {
    kind: "proof",
    system: "groth16",
    curve: "bn254",
    encoding: "snarkjs-json",
    version: "1",
    vkHash: seed("vk"),
    publicInputsHash: seed("inputs"),
    chainId: "eip155:59144",
    blockNumber: 1_234_567n,
    salt: seed("salt"),
  };
}

function settlementOf(header: BatchHeader): {
  settlement: ReceiptSettlement;
  hashes: Pick<ReceiptFixture, "validatorsHash" | "ethereumHash" | "consensusHash">;
} {
  const transactions = [
    callTo("0x00000000000000000000000000000000000000aa", 1n),
    settleCall(header),
    callTo(SUBMITTER, 3n),
  ].map(encodeTransaction);
  const receipts = [receiptOf(21_000n), receiptOf(521_000n, header), receiptOf(542_000n)].map(encodeReceipt);
  const previousId = { hash: seed("consensus block 41"), parts: { total: 1, hash: seed("parts 41") } };
  const rlp = ethereumHeader(transactions, receipts, previousId.hash);
  const consensus = committedHeader(hexToBytes(headerHash(rlp)), previousId);
  const settlement = settlementPart({
    chainId: EVM_CHAIN_ID,
    hub: PROOF_HUB_ADDRESS,
    header: rlp,
    transactions,
    receipts,
    index: 1,
    consensus,
  });
  const hashes = { ethereumHash: headerHash(rlp), validatorsHash: consensus.set, consensusHash: consensus.hash };
  return { settlement, hashes };
}

function callTo(to: Address, nonce: bigint, data: Uint8Array = new Uint8Array()): Transaction {
  const fees = { maxPriorityFeePerGasWei: 1n, maxFeePerGasWei: 2_000_000_000n, gasLimit: 1_000_000n };
  const signature = { yParity: 1, r: 12345n, s: 67890n };
  return { type: 2, chainId: EVM_CHAIN_ID, nonce, ...fees, to, valueWei: 0n, data, accessList: [], ...signature };
}

function settleCall(header: BatchHeader): Transaction {
  const selector = keccak256(text("settle(uint64,bytes,address[])")).slice(0, 4);
  const words = [uint(header.number, 32), uint(96, 32), uint(128, 32), uint(0, 32), uint(0, 32)];
  return callTo(PROOF_HUB_ADDRESS, 2n, concatBytes(selector, ...words));
}

function receiptOf(cumulativeGasUsed: bigint, settled?: BatchHeader) {
  const logs = settled === undefined ? [] : [otherLog(), batchSettledLog(settled)];
  return { type: 2, status: 1, cumulativeGasUsed, logs } as const;
}

function otherLog() {
  return { address: SUBMITTER, topics: [bytesToHex(seed("topic"))], data: "0x01" } as const;
}

function batchSettledLog(header: BatchHeader) {
  const commitment = batchCommitment(batchHeader(header));
  const submitter = concatBytes(new Uint8Array(12), header.submitter);
  const topics = [
    batchSettledTopic(),
    bytesToHex(submitter),
    bytesToHex(uint(header.number, 32)),
    bytesToHex(commitment),
  ];
  const words = [header.size, header.size, 0, 160, 2].map((n) => uint(n, 32));
  const excluded = new Uint8Array(32);
  return { address: PROOF_HUB_ADDRESS, topics, data: bytesToHex(concatBytes(header.root, ...words, excluded)) };
}

function ethereumHeader(
  txs: readonly Uint8Array[],
  receipts: readonly Uint8Array[],
  consensusBlock: Uint8Array,
): Uint8Array {
  const zero = bytesToHex(new Uint8Array(32));
  return encodeHeader({
    parentHash: bytesToHex(seed("block 40")),
    sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
    miner: SUBMITTER,
    stateRoot: bytesToHex(seed("state")),
    transactionsRoot: bytesToHex(listTrieRoot(txs)),
    receiptsRoot: bytesToHex(listTrieRoot(receipts)),
    logsBloom: bytesToHex(logsBloom([])),
    difficulty: 0n,
    number: BLOCK_NUMBER,
    gasLimit: 100_000_000n,
    gasUsed: 542_000n,
    timestamp: TIME.seconds,
    extraData: bytesToHex(consensusBlock),
    mixHash: bytesToHex(seed("randao")),
    nonce: "0x0000000000000000",
    baseFeePerGas: 1_000_000_000n,
    withdrawalsRoot: zero,
    blobGasUsed: 0n,
    excessBlobGas: 0n,
    parentBeaconBlockRoot: zero,
    requestsHash: zero,
  });
}

// Four validators of unequal power; all sign, so that assembling has something to leave out.
function committedHeader(appHash: Uint8Array, lastBlockId: ConsensusHeader["lastBlockId"]) {
  const secrets = ["v1", "v2", "v3", "v4"].map(seed);
  const validators = orderValidators(
    secrets.map((secret, i) =>
      createValidator({ type: "ed25519", bytes: ed25519.getPublicKey(secret) }, BigInt(30 - 5 * i)),
    ),
  );
  const header = consensusHeader(appHash, lastBlockId, validatorsHash(validators));
  const hash = consensusHash(header);
  const blockId = { hash, parts: { total: 1, hash: seed("parts 42") } };
  const { height, chainId } = header;
  const signatures = validators.map((validator, i) => {
    const timestamp = { ...TIME, nanos: TIME.nanos + i };
    const message = voteSignBytes({ type: 2, height, round: 1, blockId, timestamp, chainId });
    const signature = ed25519.sign(message, secrets[i] ?? new Uint8Array(32));
    return { blockIdFlag: 2, validatorAddress: validator.address, timestamp, signature } as const;
  });
  const commit: Commit = { height, round: 1, blockId, signatures };
  return {
    header: json(headerToJson(header)),
    commit: json(commitToJson(commit)),
    validators: validatorsToJson(validators).map(json),
    set: bytesToHex(header.validatorsHash),
    hash: bytesToHex(hash),
  };
}

function consensusHeader(
  appHash: Uint8Array,
  lastBlockId: ConsensusHeader["lastBlockId"],
  set: Uint8Array,
): ConsensusHeader {
  return {
    version: { block: 11n, app: 1n },
    chainId: "cairn-358587",
    height: BLOCK_NUMBER + 1n,
    time: TIME,
    lastBlockId,
    lastCommitHash: seed("last commit"),
    dataHash: seed("data"),
    validatorsHash: set,
    nextValidatorsHash: set,
    consensusHash: seed("params"),
    appHash,
    lastResultsHash: seed("results"),
    evidenceHash: seed("evidence"),
    proposerAddress: seed("proposer").slice(0, 20),
  };
}

function json(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value));
}
