/**
 * Owns transaction envelopes: EIP-2718 with types 0 (legacy, EIP-155 or unprotected), 1 (EIP-2930), 2 (EIP-1559) and
 * 4 (EIP-7702). Does not recover senders, check balances or fees: that is admission, in the Rust core.
 */
import { keccak256 } from "./hash.ts";
import { type Address, bytesToHex, concatBytes, type Hash, hexToBytes } from "./hex.ts";
import { bigintToBytes } from "./quantity.ts";
import { RlpError, type RlpValue, rlpDecode, rlpEncode } from "./rlp.ts";
import { asAddress, asBytes, asHash, asInteger, asList } from "./rlp-fields.ts";

/** One entry of an access list (EIP-2930). */
export interface AccessListEntry {
  readonly address: Address;
  readonly storageKeys: readonly Hash[];
}

/** A signed set-code authorization (EIP-7702). */
export interface Authorization {
  readonly chainId: bigint;
  readonly address: Address;
  readonly nonce: bigint;
  readonly yParity: number;
  readonly r: bigint;
  readonly s: bigint;
}

interface TransactionFields {
  readonly nonce: bigint;
  readonly gasLimit: bigint;
  /** `null`: contract creation. */
  readonly to: Address | null;
  readonly valueWei: bigint;
  readonly data: Uint8Array;
  readonly r: bigint;
  readonly s: bigint;
}

/** Type 0. `chainId` is absent when the signature is not bound to a chain (before EIP-155). */
export interface LegacyTransaction extends TransactionFields {
  readonly type: 0;
  readonly chainId?: bigint;
  readonly gasPriceWei: bigint;
  readonly v: bigint;
}

/** Type 1. */
export interface AccessListTransaction extends TransactionFields {
  readonly type: 1;
  readonly chainId: bigint;
  readonly gasPriceWei: bigint;
  readonly accessList: readonly AccessListEntry[];
  readonly yParity: number;
}

interface FeeMarketFields extends TransactionFields {
  readonly chainId: bigint;
  readonly maxPriorityFeePerGasWei: bigint;
  readonly maxFeePerGasWei: bigint;
  readonly accessList: readonly AccessListEntry[];
  readonly yParity: number;
}

/** Type 2. */
export interface FeeMarketTransaction extends FeeMarketFields {
  readonly type: 2;
}

/** Type 4. */
export interface SetCodeTransaction extends FeeMarketFields {
  readonly type: 4;
  readonly to: Address;
  readonly authorizationList: readonly Authorization[];
}

/** A signed transaction of a type this chain executes. */
export type Transaction = LegacyTransaction | AccessListTransaction | FeeMarketTransaction | SetCodeTransaction;

function asTo(value: RlpValue | undefined): Address | null {
  return asBytes(value).length === 0 ? null : asAddress(value);
}

function asParity(value: RlpValue | undefined): number {
  const parity = asInteger(value, 8);
  if (parity > 1n) throw new RlpError("rlp: y parity is neither 0 nor 1");
  return Number(parity);
}

function asAccessList(value: RlpValue | undefined): AccessListEntry[] {
  return asList(value).map((entry) => {
    const [address, keys] = asList(entry, 2);
    return { address: asAddress(address), storageKeys: asList(keys).map(asHash) };
  });
}

function asAuthorization(value: RlpValue): Authorization {
  const [chainId, address, nonce, yParity, r, s] = asList(value, 6);
  return {
    chainId: asInteger(chainId, 256),
    address: asAddress(address),
    nonce: asInteger(nonce, 64),
    yParity: Number(asInteger(yParity, 8)),
    r: asInteger(r, 256),
    s: asInteger(s, 256),
  };
}

function decodeLegacy(raw: Uint8Array): LegacyTransaction {
  const [nonce, gasPrice, gas, to, value, data, v, r, s] = asList(rlpDecode(raw), 9);
  const recovery = asInteger(v, 256);
  return {
    type: 0,
    ...(recovery >= 35n ? { chainId: (recovery - 35n) / 2n } : {}),
    nonce: asInteger(nonce, 64),
    gasPriceWei: asInteger(gasPrice, 256),
    gasLimit: asInteger(gas, 64),
    to: asTo(to),
    valueWei: asInteger(value, 256),
    data: asBytes(data),
    v: recovery,
    r: asInteger(r, 256),
    s: asInteger(s, 256),
  };
}

function decodeAccessList(raw: Uint8Array): AccessListTransaction {
  const [chainId, nonce, gasPrice, gas, to, value, data, accessList, yParity, r, s] = asList(rlpDecode(raw), 11);
  return {
    type: 1,
    chainId: asInteger(chainId, 256),
    nonce: asInteger(nonce, 64),
    gasPriceWei: asInteger(gasPrice, 256),
    gasLimit: asInteger(gas, 64),
    to: asTo(to),
    valueWei: asInteger(value, 256),
    data: asBytes(data),
    accessList: asAccessList(accessList),
    yParity: asParity(yParity),
    r: asInteger(r, 256),
    s: asInteger(s, 256),
  };
}

function feeMarketFields(head: readonly RlpValue[], signature: readonly RlpValue[]): FeeMarketFields {
  const [chainId, nonce, priorityFee, maxFee, gas, to, value, data, accessList] = head;
  const [yParity, r, s] = signature;
  return {
    chainId: asInteger(chainId, 256),
    nonce: asInteger(nonce, 64),
    maxPriorityFeePerGasWei: asInteger(priorityFee, 256),
    maxFeePerGasWei: asInteger(maxFee, 256),
    gasLimit: asInteger(gas, 64),
    to: asTo(to),
    valueWei: asInteger(value, 256),
    data: asBytes(data),
    accessList: asAccessList(accessList),
    yParity: asParity(yParity),
    r: asInteger(r, 256),
    s: asInteger(s, 256),
  };
}

function decodeFeeMarket(raw: Uint8Array): FeeMarketTransaction {
  const fields = asList(rlpDecode(raw), 12);
  return { type: 2, ...feeMarketFields(fields.slice(0, 9), fields.slice(9)) };
}

function decodeSetCode(raw: Uint8Array): SetCodeTransaction {
  const fields = asList(rlpDecode(raw), 13);
  const base = feeMarketFields(fields.slice(0, 9), fields.slice(10));
  if (base.to === null) throw new RlpError("rlp: a set-code transaction needs a recipient");
  return { type: 4, ...base, to: base.to, authorizationList: asList(fields[9]).map(asAuthorization) };
}

/** The transaction that the raw EIP-2718 bytes encode. Throws `RlpError` on other types and on malformed bytes. */
export function decodeTransaction(raw: Uint8Array): Transaction {
  const first = raw[0];
  if (first === undefined) throw new RlpError("rlp: empty transaction");
  if (first >= 0xc0) return decodeLegacy(raw);
  if (first === 1) return decodeAccessList(raw.subarray(1));
  if (first === 2) return decodeFeeMarket(raw.subarray(1));
  if (first === 4) return decodeSetCode(raw.subarray(1));
  throw new RlpError("transaction type not supported");
}

const integers = (...values: readonly bigint[]): Uint8Array[] => values.map(bigintToBytes);
const toField = (to: Address | null): Uint8Array => (to === null ? new Uint8Array(0) : hexToBytes(to));

function accessListField(list: readonly AccessListEntry[]): RlpValue {
  return list.map((entry) => [hexToBytes(entry.address), entry.storageKeys.map(hexToBytes)]);
}

function authorizationField(a: Authorization): RlpValue {
  const tail = integers(a.nonce, BigInt(a.yParity), a.r, a.s);
  return [bigintToBytes(a.chainId), hexToBytes(a.address), ...tail];
}

function encodeTyped(tx: Exclude<Transaction, LegacyTransaction>): Uint8Array {
  const fees = tx.type === 1 ? [tx.gasPriceWei] : [tx.maxPriorityFeePerGasWei, tx.maxFeePerGasWei];
  const fields: RlpValue[] = [
    ...integers(tx.chainId, tx.nonce, ...fees, tx.gasLimit),
    toField(tx.to),
    bigintToBytes(tx.valueWei),
    tx.data,
    accessListField(tx.accessList),
    ...(tx.type === 4 ? [tx.authorizationList.map(authorizationField)] : []),
    ...integers(BigInt(tx.yParity), tx.r, tx.s),
  ];
  return concatBytes(Uint8Array.of(tx.type), rlpEncode(fields));
}

/** The raw EIP-2718 bytes of a transaction: the inverse of `decodeTransaction`. */
export function encodeTransaction(tx: Transaction): Uint8Array {
  if (tx.type !== 0) return encodeTyped(tx);
  const head = integers(tx.nonce, tx.gasPriceWei, tx.gasLimit);
  const value = bigintToBytes(tx.valueWei);
  return rlpEncode([...head, toField(tx.to), value, tx.data, ...integers(tx.v, tx.r, tx.s)]);
}

/** Keccak-256 of the raw EIP-2718 bytes. */
export function transactionHash(raw: Uint8Array): Hash {
  return bytesToHex(keccak256(raw));
}
