/**
 * A block's consensus bytes, read by `eth_` methods alone: nodes rarely serve `debug_` to others. The header is encoded
 * from its JSON and must hash to the block's hash; receipts are encoded from theirs; transactions come as bytes.
 */
import {
  type Address,
  encodeHeader,
  encodeReceipt,
  type Hash,
  type Hex,
  headerHash,
  type Log,
} from "@cairn/primitives";
import { EndpointError, type RpcCall } from "./json-rpc-client.ts";
import { readArray, readBytes, readCount, readHash, readHex, readObject, readQuantity } from "./rpc-shape.ts";

/** What a block commits to, as bytes. */
export interface BlockParts {
  readonly header: Uint8Array;
  /** EIP-2718 bytes. */
  readonly transactions: readonly Uint8Array[];
  /** EIP-2718 bytes. */
  readonly receipts: readonly Uint8Array[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Calls in progress at once while the transactions of a block are fetched. */
const PARALLEL = 32;

/** Reads the block at a height. Throws `EndpointError` when the node's answers do not make one block. */
export async function readBlockParts(call: RpcCall, height: string): Promise<BlockParts> {
  const [answeredBlock, answeredReceipts] = await Promise.all([
    call("eth_getBlockByNumber", [height, false]),
    call("eth_getBlockReceipts", [height]),
  ]);
  const block = readObject(answeredBlock, "eth_getBlockByNumber");
  const header = headerBytes(block);
  const receipts = readArray(answeredReceipts, "eth_getBlockReceipts").map(receiptBytes);
  const count = readArray(block.transactions, "transactions").length;
  if (receipts.length !== count) throw new EndpointError("a block with more or fewer receipts than transactions");
  return { header, transactions: await rawTransactions(call, height, count), receipts };
}

async function rawTransactions(call: RpcCall, height: string, count: number): Promise<readonly Uint8Array[]> {
  const method = "eth_getRawTransactionByBlockNumberAndIndex";
  const found: Uint8Array[] = [];
  while (found.length < count) {
    const from = found.length;
    const indexes = Array.from({ length: Math.min(PARALLEL, count - from) }, (_, offset) => from + offset);
    const raw = await Promise.all(indexes.map((index) => call(method, [height, `0x${index.toString(16)}`])));
    found.push(...raw.map((bytes) => readBytes(bytes, method)));
  }
  return found;
}

function headerBytes(block: Fields): Uint8Array {
  const hash = (name: string): Hash => readHash(block[name], name);
  const quantity = (name: string): bigint => readQuantity(block[name], name);
  const hex = (name: string): Hex => readHex(block[name], name);
  const header = encodeHeader({
    parentHash: hash("parentHash"),
    sha3Uncles: hash("sha3Uncles"),
    miner: readAddress(block.miner),
    stateRoot: hash("stateRoot"),
    transactionsRoot: hash("transactionsRoot"),
    receiptsRoot: hash("receiptsRoot"),
    logsBloom: hex("logsBloom"),
    difficulty: quantity("difficulty"),
    number: quantity("number"),
    gasLimit: quantity("gasLimit"),
    gasUsed: quantity("gasUsed"),
    timestamp: quantity("timestamp"),
    extraData: hex("extraData"),
    mixHash: hash("mixHash"),
    nonce: hex("nonce"),
    baseFeePerGas: quantity("baseFeePerGas"),
    withdrawalsRoot: hash("withdrawalsRoot"),
    blobGasUsed: quantity("blobGasUsed"),
    excessBlobGas: quantity("excessBlobGas"),
    parentBeaconBlockRoot: hash("parentBeaconBlockRoot"),
    requestsHash: hash("requestsHash"),
  });
  if (headerHash(header) !== hash("hash")) throw new EndpointError("a block whose header does not hash to its hash");
  return header;
}

function receiptBytes(answered: unknown): Uint8Array {
  const receipt = readObject(answered, "receipt");
  return encodeReceipt({
    type: readCount(receipt.type, "type"),
    status: readQuantity(receipt.status, "status") === 1n ? 1 : 0,
    cumulativeGasUsed: readQuantity(receipt.cumulativeGasUsed, "cumulativeGasUsed"),
    logs: readArray(receipt.logs, "logs").map(readLog),
  });
}

function readLog(answered: unknown): Log {
  const log = readObject(answered, "log");
  const topics = readArray(log.topics, "topics").map((topic) => readHash(topic, "topic"));
  return { address: readAddress(log.address), topics, data: readHex(log.data, "data") };
}

function readAddress(value: unknown): Address {
  const hex = readHex(value, "address");
  if (hex.length !== 42) throw new EndpointError("address: not of 20 bytes");
  return hex;
}
