/** Bitcoin transactions as bytes: both serializations, ids, weight. Validity is not judged here. */
import { ByteReader } from "./byte-reader.ts";
import { compactSize, concatBytes, sized, u32le, u64le } from "./byte-writer.ts";
import { BitcoinFormatError } from "./format-error.ts";
import { sha256d } from "./hash.ts";

/** An input. `txid` in internal order; `witness` is empty when there is none. */
export interface TxInput {
  readonly txid: Uint8Array;
  readonly vout: number;
  readonly scriptSig: Uint8Array;
  readonly sequence: number;
  readonly witness: readonly Uint8Array[];
}

/** An output; the value is in satoshi. */
export interface TxOutput {
  readonly valueSat: bigint;
  readonly scriptPubKey: Uint8Array;
}

/** A parsed transaction. */
export interface BitcoinTransaction {
  readonly version: number;
  readonly inputs: readonly TxInput[];
  readonly outputs: readonly TxOutput[];
  readonly lockTime: number;
}

/** No transaction outgrows a block (4,000,000 weight units). */
export const MAX_TRANSACTION_BYTES = 4_000_000;

/** Parses one whole transaction, with or without witness (BIP 144). Throws `BitcoinFormatError`. */
export function parseTransaction(bytes: Uint8Array): BitcoinTransaction {
  if (bytes.length > MAX_TRANSACTION_BYTES)
    throw new BitcoinFormatError("too-large", "transaction above 4,000,000 bytes");
  const reader = new ByteReader(bytes);
  const transaction = readTransaction(reader);
  reader.end();
  return transaction;
}

/** Parses a transaction without witness; a leading segwit marker reads as no inputs and is refused. */
export function parseStripped(bytes: Uint8Array): BitcoinTransaction {
  const transaction = parseTransaction(bytes);
  if (hasWitness(transaction)) throw new BitcoinFormatError("bad-witness", "expected a transaction without witness");
  return transaction;
}

/** Reads the next transaction of a block. */
export function readTransaction(reader: ByteReader): BitcoinTransaction {
  const version = reader.i32();
  let inputCount = reader.count(41);
  const segwit = inputCount === 0;
  if (segwit) {
    if (reader.u8() !== 1) throw new BitcoinFormatError("bad-witness", "no inputs, or an unknown witness flag");
    inputCount = reader.count(41);
  }
  const bare = Array.from({ length: inputCount }, () => readInput(reader));
  const outputs = Array.from({ length: reader.count(9) }, () => readOutput(reader));
  const inputs = segwit ? bare.map((input) => ({ ...input, witness: readWitness(reader) })) : bare;
  if (segwit && inputs.every((input) => input.witness.length === 0)) {
    throw new BitcoinFormatError("bad-witness", "witness form without a witness");
  }
  if (inputs.length === 0 || outputs.length === 0)
    throw new BitcoinFormatError("bad-length", "no inputs or no outputs");
  return { version, inputs, outputs, lockTime: reader.u32() };
}

/** The serialization the txid is made of: without witness. */
export function serializeStripped(tx: BitcoinTransaction): Uint8Array {
  return concatBytes(u32le(tx.version), body(tx), u32le(tx.lockTime));
}

/** The serialization that is broadcast: with witness when there is one (BIP 144). */
export function serializeTransaction(tx: BitcoinTransaction): Uint8Array {
  if (!hasWitness(tx)) return serializeStripped(tx);
  const witnesses = tx.inputs.map((input) =>
    concatBytes(compactSize(input.witness.length), ...input.witness.map(sized)),
  );
  return concatBytes(u32le(tx.version), Uint8Array.of(0, 1), body(tx), ...witnesses, u32le(tx.lockTime));
}

/** Hash of the stripped bytes, internal order. */
export function txid(strippedBytes: Uint8Array): Uint8Array {
  return sha256d(strippedBytes);
}

/** Txid of a parsed transaction, internal order. */
export function transactionId(tx: BitcoinTransaction): Uint8Array {
  return txid(serializeStripped(tx));
}

/** Hash with witness (BIP 141), internal order. */
export function witnessId(tx: BitcoinTransaction): Uint8Array {
  return sha256d(serializeTransaction(tx));
}

/** Weight units: three times the stripped size plus the whole size (BIP 141). */
export function transactionWeight(tx: BitcoinTransaction): number {
  return 3 * serializeStripped(tx).length + serializeTransaction(tx).length;
}

/** Virtual size in vbytes, rounded up. */
export function transactionVsize(tx: BitcoinTransaction): number {
  return Math.ceil(transactionWeight(tx) / 4);
}

/** Whether any input carries a witness. */
export function hasWitness(tx: BitcoinTransaction): boolean {
  return tx.inputs.some((input) => input.witness.length > 0);
}

/** One input that spends nothing: the null outpoint. */
export function isCoinbase(tx: BitcoinTransaction): boolean {
  const input = tx.inputs[0];
  return tx.inputs.length === 1 && input?.vout === 0xffffffff && input.txid.every((byte) => byte === 0);
}

function body(tx: BitcoinTransaction): Uint8Array {
  return concatBytes(
    compactSize(tx.inputs.length),
    ...tx.inputs.map((i) => concatBytes(i.txid, u32le(i.vout), sized(i.scriptSig), u32le(i.sequence))),
    compactSize(tx.outputs.length),
    ...tx.outputs.map((o) => concatBytes(u64le(o.valueSat), sized(o.scriptPubKey))),
  );
}

function readInput(reader: ByteReader): TxInput {
  return {
    txid: reader.take(32),
    vout: reader.u32(),
    scriptSig: reader.take(reader.compactSize()),
    sequence: reader.u32(),
    witness: [],
  };
}

function readOutput(reader: ByteReader): TxOutput {
  return { valueSat: reader.u64(), scriptPubKey: reader.take(reader.compactSize()) };
}

function readWitness(reader: ByteReader): Uint8Array[] {
  return Array.from({ length: reader.count(1) }, () => reader.take(reader.compactSize()));
}
