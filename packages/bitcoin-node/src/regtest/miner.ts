/** Making a block from a template: coinbase, witness commitment (BIP 141), proof of work. */
import {
  type BitcoinBlock,
  type BitcoinHeader,
  type BitcoinTransaction,
  checkProofOfWork,
  coinbaseHeightPush,
  concatBytes,
  hasWitness,
  headerHash,
  merkleRoot,
  subsidySat,
  transactionId,
  transactionWeight,
  u64le,
} from "@cairn/bitcoin";
import { REGTEST_BITS, REGTEST_HALVING } from "./genesis.ts";
import type { MempoolEntry } from "./mempool.ts";
import { MAX_BLOCK_WEIGHT, witnessCommitment } from "./rules.ts";

const RESERVED_WEIGHT = 4_000;

/** What a block is made from. `time` in seconds. */
export interface BlockTemplate {
  readonly previous: BitcoinHeader;
  readonly height: number;
  readonly time: number;
  /** Receives subsidy and fees. */
  readonly scriptPubKey: Uint8Array;
  /** Parents before children. */
  readonly entries: readonly MempoolEntry[];
  /** Tells blocks of the same content apart. */
  readonly extraNonce: bigint;
}

/** A valid block with proof of work. */
export function mineBlock(template: BlockTemplate): BitcoinBlock {
  const entries = fitting(template.entries);
  const feesSat = entries.reduce((sum, { feeSat }) => sum + feeSat, 0n);
  const others = entries.map(({ tx }) => tx);
  const transactions = [coinbaseOf(template, others, feesSat), ...others];
  const unsolved: BitcoinHeader = {
    version: 0x20000000,
    previous: headerHash(template.previous),
    merkleRoot: merkleRoot(transactions.map(transactionId)),
    time: template.time,
    bits: REGTEST_BITS,
    nonce: 0,
  };
  return { header: solve(unsolved), transactions };
}

function fitting(entries: readonly MempoolEntry[]): MempoolEntry[] {
  let weight = RESERVED_WEIGHT;
  const taken: MempoolEntry[] = [];
  for (const entry of entries) {
    weight += transactionWeight(entry.tx);
    if (weight > MAX_BLOCK_WEIGHT) break;
    taken.push(entry);
  }
  return taken;
}

function coinbaseOf(t: BlockTemplate, others: readonly BitcoinTransaction[], feesSat: bigint): BitcoinTransaction {
  const scriptSig = concatBytes(coinbaseHeightPush(t.height), Uint8Array.of(8), u64le(t.extraNonce));
  const input = { txid: new Uint8Array(32), vout: 0xffffffff, scriptSig, sequence: 0xffffffff, witness: [] };
  const reward = { valueSat: subsidySat(t.height, REGTEST_HALVING) + feesSat, scriptPubKey: t.scriptPubKey };
  const bare = { version: 2, inputs: [input], outputs: [reward], lockTime: 0 };
  if (!others.some(hasWitness)) return bare;
  const reserved = new Uint8Array(32);
  const commitment = { valueSat: 0n, scriptPubKey: witnessCommitment([bare, ...others], reserved) };
  return { ...bare, inputs: [{ ...input, witness: [reserved] }], outputs: [reward, commitment] };
}

function solve(header: BitcoinHeader): BitcoinHeader {
  for (let nonce = 0; nonce < 2 ** 32; nonce += 1) {
    const candidate = { ...header, nonce };
    if (checkProofOfWork(candidate, REGTEST_BITS)) return candidate;
  }
  throw new RangeError("no nonce meets the target");
}
