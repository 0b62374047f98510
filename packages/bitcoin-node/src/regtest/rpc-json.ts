/** JSON forms of transactions and blocks as Bitcoin Core prints them (the members its users read). */
import {
  type BitcoinBlock,
  type BitcoinHeader,
  type BitcoinTransaction,
  displayHash,
  encodeHex,
  headerHash,
  isCoinbase,
  opReturnData,
  p2wpkhKeyHash,
  serializeBlock,
  serializeStripped,
  serializeTransaction,
  type TxInput,
  targetFromBits,
  transactionId,
  transactionVsize,
  transactionWeight,
  witnessId,
  workFromBits,
} from "@cairn/bitcoin";
import { addressOfScript } from "./address.ts";
import type { RegtestChain } from "./chain.ts";
import type { BlockRow } from "./chain-store.ts";
import { REGTEST_BITS } from "./genesis.ts";

/** Satoshi as the decimal number of bitcoins that Core prints. */
export function btc(sat: bigint): number {
  return Number(sat) / 1e8;
}

/** Work of the chain up to a height, as 64 hex digits. */
export function chainWork(height: number): string {
  return (workFromBits(REGTEST_BITS) * BigInt(height + 1)).toString(16).padStart(64, "0");
}

/** The target of every regtest block, 64 hex digits. */
export function targetHex(): string {
  return (targetFromBits(REGTEST_BITS) ?? 0n).toString(16).padStart(64, "0");
}

/** The difficulty of every regtest block. */
export const REGTEST_DIFFICULTY = 4.656542373906925e-10;

/** `scriptPubKey` member of an output. */
export function scriptJson(script: Uint8Array): object {
  const address = addressOfScript(script);
  const type = p2wpkhKeyHash(script) ? "witness_v0_keyhash" : script[0] === 0x6a ? "nulldata" : "nonstandard";
  const data = opReturnData(script);
  const asm = data === undefined ? encodeHex(script) : `OP_RETURN ${encodeHex(data)}`;
  return { asm, hex: encodeHex(script), ...(address === undefined ? {} : { address }), type };
}

/** A transaction as `getrawtransaction` and `getblock 2` print it. */
export function transactionJson(tx: BitcoinTransaction): object {
  const bytes = serializeTransaction(tx);
  return {
    txid: displayHash(transactionId(tx)),
    hash: displayHash(witnessId(tx)),
    version: tx.version,
    size: bytes.length,
    vsize: transactionVsize(tx),
    weight: transactionWeight(tx),
    locktime: tx.lockTime,
    vin: tx.inputs.map((input) => inputJson(input, isCoinbase(tx))),
    vout: tx.outputs.map((output, n) => ({
      value: btc(output.valueSat),
      n,
      scriptPubKey: scriptJson(output.scriptPubKey),
    })),
    hex: encodeHex(bytes),
  };
}

/** `confirmations`: depth in the best chain, -1 outside it. */
export function confirmationsOf(chain: RegtestChain, row: BlockRow): number {
  const active = chain.store.activeHash(row.height);
  const inBest = active !== undefined && encodeHex(active) === encodeHex(row.hash);
  return inBest ? chain.tip().height - row.height + 1 : -1;
}

/** A header as `getblockheader` prints it, with the number of transactions. */
export function headerJson(chain: RegtestChain, row: BlockRow, header: BitcoinHeader, nTx: number): object {
  const confirmations = confirmationsOf(chain, row);
  const next = confirmations > 0 ? chain.store.activeHash(row.height + 1) : undefined;
  return {
    hash: displayHash(headerHash(header)),
    confirmations,
    height: row.height,
    version: header.version,
    versionHex: (header.version >>> 0).toString(16).padStart(8, "0"),
    merkleroot: displayHash(header.merkleRoot),
    time: header.time,
    mediantime: chain.medianTime(row.hash),
    nonce: header.nonce,
    bits: header.bits.toString(16).padStart(8, "0"),
    target: targetHex(),
    difficulty: REGTEST_DIFFICULTY,
    chainwork: chainWork(row.height),
    nTx,
    ...(row.height === 0 ? {} : { previousblockhash: displayHash(header.previous) }),
    ...(next === undefined ? {} : { nextblockhash: displayHash(next) }),
  };
}

/** A block as `getblock` prints it; `full` gives the transactions as objects, else as txids. */
export function blockJson(chain: RegtestChain, row: BlockRow, block: BitcoinBlock, full: boolean): object {
  const stripped = block.transactions.reduce((sum, tx) => sum + serializeStripped(tx).length, 81);
  const size = serializeBlock(block).length;
  const ids = block.transactions.map((tx) => displayHash(transactionId(tx)));
  return {
    ...headerJson(chain, row, block.header, block.transactions.length),
    strippedsize: stripped,
    size,
    weight: 3 * stripped + size,
    tx: full ? block.transactions.map(transactionJson) : ids,
  };
}

function inputJson(input: TxInput, coinbase: boolean): object {
  const witness = input.witness.length > 0 ? { txinwitness: input.witness.map(encodeHex) } : {};
  if (coinbase) return { coinbase: encodeHex(input.scriptSig), ...witness, sequence: input.sequence };
  const scriptSig = { asm: encodeHex(input.scriptSig), hex: encodeHex(input.scriptSig) };
  return { txid: displayHash(input.txid), vout: input.vout, scriptSig, ...witness, sequence: input.sequence };
}
