/** An independent judge of a committed block: @ethereumjs computes every root, bloom and encoding again. */
import assert from "node:assert/strict";
import { bytesToHex, type Hex, keccak256, logsBloom } from "@cairn/primitives";
import { createMPT } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import type { Native } from "../boundary/native.ts";

async function listRoot(items: readonly Uint8Array[]): Promise<Hex> {
  const trie = await createMPT();
  for (const [index, item] of items.entries()) await trie.put(RLP.encode(index), item);
  return bytesToHex(trie.root());
}

/** A log as the reads serve it. */
export interface LogText {
  address: Hex;
  topics: Hex[];
  data: Hex;
}

interface ReceiptText {
  type: Hex;
  status: Hex;
  cumulativeGasUsed: Hex;
  logsBloom: Hex;
  logs: LogText[];
}

function encodeReceiptText(receipt: ReceiptText): Uint8Array {
  const logs = receipt.logs.map((log) => [log.address, log.topics, log.data]);
  const status = receipt.status === "0x1" ? "0x01" : "0x";
  const list = RLP.encode([status, BigInt(receipt.cumulativeGasUsed), receipt.logsBloom, logs]);
  return receipt.type === "0x0" ? list : new Uint8Array([Number(receipt.type), ...list]);
}

function encodeHeaderText(block: Record<string, Hex>): Uint8Array {
  const bytes = (name: string): Hex => block[name] ?? "0x";
  const number = (name: string): bigint => BigInt(bytes(name));
  return RLP.encode([
    ...["parentHash", "sha3Uncles", "miner", "stateRoot", "transactionsRoot", "receiptsRoot", "logsBloom"].map(bytes),
    ...["difficulty", "number", "gasLimit", "gasUsed", "timestamp"].map(number),
    ...["extraData", "mixHash", "nonce"].map(bytes),
    number("baseFeePerGas"),
    bytes("withdrawalsRoot"),
    ...["blobGasUsed", "excessBlobGas"].map(number),
    ...["parentBeaconBlockRoot", "requestsHash"].map(bytes),
  ]);
}

function bloomOf(logs: readonly LogText[]): Hex {
  return bytesToHex(logsBloom(logs));
}

/** Recomputes everything a header commits to, with independent code, from what the chain serves. */
export async function checkBlock(native: Native, number: bigint): Promise<void> {
  const block = JSON.parse((await native.blockJson(number, false)) ?? "null");
  const receipts: ReceiptText[] = JSON.parse((await native.blockReceiptsJson(number)) ?? "null");
  const header = encodeHeaderText(block);
  assert.equal(bytesToHex(header), bytesToHex(native.rawHeader(number) ?? new Uint8Array()));
  assert.equal(bytesToHex(keccak256(header)), block.hash);
  const raws = block.transactions.map((hash: Hex) => native.rawTransaction(hash));
  assert.equal(block.transactionsRoot, await listRoot(raws));
  const encoded = receipts.map(encodeReceiptText);
  assert.equal(block.receiptsRoot, await listRoot(encoded));
  assert.deepEqual((await native.rawReceipts(number))?.map(bytesToHex), encoded.map(bytesToHex));
  for (const receipt of receipts) assert.equal(receipt.logsBloom, bloomOf(receipt.logs));
  assert.equal(block.logsBloom, bloomOf(receipts.flatMap((receipt) => receipt.logs)));
  const rlpItems = raws.map((raw: Uint8Array) => ((raw[0] ?? 0) >= 0xc0 ? RLP.decode(raw) : raw));
  const rlp = RLP.encode([RLP.decode(header), rlpItems, [], []]);
  assert.equal(bytesToHex(rlp), bytesToHex((await native.rawBlock(number)) ?? new Uint8Array()));
  assert.equal(BigInt(block.size), BigInt(rlp.length));
}
