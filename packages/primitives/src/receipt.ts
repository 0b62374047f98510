/** Owns the consensus encoding of receipts (EIP-2718, EIP-658): what `receiptsRoot` commits to. */
import { type Log, logsBloom } from "./bloom.ts";
import { concatBytes, equalBytes, hexToBytes } from "./hex.ts";
import { bigintToBytes } from "./quantity.ts";
import { RlpError, type RlpValue, rlpDecode, rlpEncode } from "./rlp.ts";
import { asAddress, asBytes, asHash, asHex, asInteger, asList } from "./rlp-fields.ts";

/** A receipt as consensus sees it. `status` 1 is success. */
export interface Receipt {
  /** Type of its transaction. */
  readonly type: number;
  readonly status: 0 | 1;
  readonly cumulativeGasUsed: bigint;
  /** 256 bytes. */
  readonly bloom: Uint8Array;
  readonly logs: readonly Log[];
}

/** What a receipt is made of; the bloom follows from the logs. */
export type ReceiptInput = Omit<Receipt, "bloom">;

/** The EIP-2718 bytes of a receipt. */
export function encodeReceipt(receipt: ReceiptInput): Uint8Array {
  const logs = receipt.logs.map((log) => [hexToBytes(log.address), log.topics.map(hexToBytes), hexToBytes(log.data)]);
  const body = rlpEncode([
    bigintToBytes(BigInt(receipt.status)),
    bigintToBytes(receipt.cumulativeGasUsed),
    logsBloom(receipt.logs),
    logs,
  ]);
  return receipt.type === 0 ? body : concatBytes(Uint8Array.of(receipt.type), body);
}

function decodeLog(value: RlpValue): Log {
  const [address, topics, data] = asList(value, 3);
  return { address: asAddress(address), topics: asList(topics).map(asHash), data: asHex(data) };
}

/** The receipt that the EIP-2718 bytes encode; its bloom must be that of its logs. Throws `RlpError` otherwise. */
export function decodeReceipt(encoded: Uint8Array): Receipt {
  const first = encoded[0] ?? 0;
  const typed = first < 0xc0;
  if (typed && (first === 0 || first > 0x7f)) throw new RlpError("receipt type not supported");
  const [status, gas, bloomField, logList] = asList(rlpDecode(typed ? encoded.subarray(1) : encoded), 4);
  const statusValue = asInteger(status, 8);
  if (statusValue > 1n) throw new RlpError("rlp: receipt status is neither 0 nor 1");
  const logs = asList(logList).map(decodeLog);
  const bloom = asBytes(bloomField, 256);
  if (!equalBytes(bloom, logsBloom(logs))) throw new RlpError("receipt bloom does not match its logs");
  return {
    type: typed ? first : 0,
    status: statusValue === 1n ? 1 : 0,
    cumulativeGasUsed: asInteger(gas, 64),
    bloom,
    logs,
  };
}
