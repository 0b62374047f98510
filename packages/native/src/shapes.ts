/** Translation of the addon's JSON texts and tagged bytes into the types of this package. */

import type { Address, Hash, Hex } from "@cairn/primitives";
import type { AdmitCode, AdmitOutcome } from "./boundary/admission.ts";
import type { ExecutedTx, ExecuteOutcome, Head, SkippedTx } from "./boundary/block.ts";
import type { CallOutcome, EstimateOutcome } from "./boundary/call.ts";

interface HeadText {
  number: Hex;
  hash: Hash;
  stateRoot: Hash;
  timestamp: Hex;
  gasLimit: Hex;
  baseFeePerGasWei: Hex;
  nextBaseFeePerGasWei: Hex;
  consensusHash: Hex;
}

/** The head. */
export function toHead(json: string): Head {
  const text: HeadText = JSON.parse(json);
  return {
    number: BigInt(text.number),
    hash: text.hash,
    stateRoot: text.stateRoot,
    timestamp: BigInt(text.timestamp),
    gasLimit: BigInt(text.gasLimit),
    baseFeePerGasWei: BigInt(text.baseFeePerGasWei),
    nextBaseFeePerGasWei: BigInt(text.nextBaseFeePerGasWei),
    consensusHash: text.consensusHash,
  };
}

interface RefusedText {
  code: AdmitCode;
  have?: Hex;
  want?: Hex;
}

interface AdmittedText {
  code?: undefined;
  hash: Hash;
  type: 0 | 1 | 2 | 4;
  sender: Address;
  to: Address | null;
  nonce: Hex;
  gas: Hex;
  maxFeePerGasWei: Hex;
  maxPriorityFeePerGasWei: Hex;
  valueWei: Hex;
  size: number;
  senderNonce: Hex;
  senderBalanceWei: Hex;
  authorities?: Hex;
}

const ADDRESS_DIGITS = 40;

/** Addresses that stand one after the other in a hex text without prefix. */
export function toAddresses(hex: string): Address[] {
  const addresses: Address[] = [];
  for (let at = 0; at < hex.length; at += ADDRESS_DIGITS) addresses.push(`0x${hex.slice(at, at + ADDRESS_DIGITS)}`);
  return addresses;
}

function toAdmitOutcome(text: AdmittedText | RefusedText): AdmitOutcome {
  if (text.code !== undefined) {
    const { code, have, want } = text;
    if (have === undefined || want === undefined) return { ok: false, code };
    return { ok: false, code, have: BigInt(have), want: BigInt(want) };
  }
  return {
    ok: true,
    hash: text.hash,
    type: text.type,
    sender: text.sender,
    to: text.to,
    nonce: BigInt(text.nonce),
    gas: BigInt(text.gas),
    maxFeePerGasWei: BigInt(text.maxFeePerGasWei),
    maxPriorityFeePerGasWei: BigInt(text.maxPriorityFeePerGasWei),
    valueWei: BigInt(text.valueWei),
    size: text.size,
    senderNonce: BigInt(text.senderNonce),
    senderBalanceWei: BigInt(text.senderBalanceWei),
    authorities: toAddresses(text.authorities?.slice(2) ?? ""),
  };
}

/** Admission outcomes, in the order asked. */
export function toAdmitOutcomes(json: string): AdmitOutcome[] {
  const texts: (AdmittedText | RefusedText)[] = JSON.parse(json);
  return texts.map(toAdmitOutcome);
}

interface ExecutedText {
  code?: undefined;
  hash: Hash;
  index: number;
  sender: Address;
  to: Address | null;
  contractAddress: Address | null;
  nonce: Hex;
  valueWei: Hex;
  gasLimit: Hex;
  gasUsed: Hex;
  type: 0 | 1 | 2 | 4;
  success: boolean;
  logsJson: string;
}

interface SkippedText {
  code: number;
  reason: string;
}

function toExecutedTx(text: ExecutedText | SkippedText): ExecutedTx | SkippedTx {
  if (text.code !== undefined) return { included: false, code: text.code, reason: text.reason };
  return {
    included: true,
    hash: text.hash,
    index: text.index,
    sender: text.sender,
    to: text.to,
    contractAddress: text.contractAddress,
    nonce: BigInt(text.nonce),
    valueWei: BigInt(text.valueWei),
    gasLimit: BigInt(text.gasLimit),
    gasUsed: BigInt(text.gasUsed),
    type: text.type,
    success: text.success,
    logsJson: text.logsJson,
  };
}

/** An executed block. */
export function toExecuteOutcome(json: string): ExecuteOutcome {
  const text: { hash: Hash; txs: (ExecutedText | SkippedText)[] } = JSON.parse(json);
  return { hash: text.hash, txs: text.txs.map(toExecutedTx) };
}

/** A block reference: decimal height, hash, or `pending`. */
export function blockText(block: bigint | Hash | "pending"): string {
  return typeof block === "bigint" ? block.toString() : block;
}

/** First byte of a call's or an estimate's bytes; as `shapes.rs` numbers them. */
const TAG = { done: 0, reverted: 1, halted: 2, refused: 3, unknownBlock: 4 } as const;

function untag(bytes: Uint8Array): { tag: number; number: bigint; tail: Uint8Array } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tail = Uint8Array.prototype.slice.call(bytes, 9);
  return { tag: view.getUint8(0), number: view.getBigUint64(1), tail };
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** A call's outcome. */
export function toCallOutcome(bytes: Uint8Array): CallOutcome {
  const { tag, number, tail } = untag(bytes);
  switch (tag) {
    case TAG.done:
      return { ok: true, data: tail, gasUsed: number };
    case TAG.reverted:
      return { ok: false, code: "reverted", data: tail, gasUsed: number };
    case TAG.halted:
      return { ok: false, code: "halted", reason: textOf(tail), gasUsed: number };
    case TAG.refused:
      return { ok: false, code: "refused", reason: textOf(tail) };
    default:
      return { ok: false, code: "unknown-block" };
  }
}

/** An estimate's outcome. */
export function toEstimateOutcome(bytes: Uint8Array): EstimateOutcome {
  const { tag, number, tail } = untag(bytes);
  switch (tag) {
    case TAG.done:
      return { ok: true, gas: number };
    case TAG.reverted:
      return { ok: false, code: "reverted", data: tail };
    case TAG.halted:
      return { ok: false, code: "halted", reason: textOf(tail) };
    case TAG.refused:
      return { ok: false, code: "refused", reason: textOf(tail) };
    case TAG.unknownBlock:
      return { ok: false, code: "unknown-block" };
    default:
      return { ok: false, code: "allowance", allowance: number };
  }
}
