/**
 * Transactions that wait for a block: admission policy, replacement, ancestry. Kept on disk as well, so that what was
 * accepted is still there after a kill. Reasons and numbers are Bitcoin Core's.
 */
import {
  type BitcoinTransaction,
  displayHash,
  isCoinbase,
  serializeTransaction,
  transactionId,
  transactionVsize,
} from "@cairn/bitcoin";
import type { ChainStore, CoinRow } from "./chain-store.ts";
import { FAULT } from "./fault.ts";
import { checkTransaction, outpointKey } from "./rules.ts";

/** A waiting transaction. `time` in seconds. */
export interface MempoolEntry {
  readonly tx: BitcoinTransaction;
  readonly txid: Uint8Array;
  readonly feeSat: bigint;
  readonly vsize: number;
  readonly time: number;
}

/** Outcome of an admission; `replaces` are the entries that had to leave. */
export type MempoolCheck =
  | { readonly ok: true; readonly entry: MempoolEntry; readonly replaces: readonly MempoolEntry[] }
  | { readonly ok: false; readonly code: number; readonly reason: string };

/** Satoshi per 1,000 vbytes for relay and for each replacement. */
export const RELAY_FEE_PER_KVB = 100n;

const DUST_SAT = 294n;

/** Where the next block stands. */
export interface NextBlock {
  readonly height: number;
  readonly medianTime: number;
}

/** Waiting transactions in order of admission, parents before children. */
export class Mempool {
  readonly #store: ChainStore;
  readonly #entries = new Map<string, MempoolEntry>();
  readonly #spenders = new Map<string, string>();

  constructor(store: ChainStore) {
    this.#store = store;
  }

  get size(): number {
    return this.#entries.size;
  }

  entries(): readonly MempoolEntry[] {
    return [...this.#entries.values()];
  }

  /** By display txid. */
  get(txid: string): MempoolEntry | undefined {
    return this.#entries.get(txid);
  }

  /** Display txid of the entry that spends the outpoint. */
  spender(txid: Uint8Array, vout: number): string | undefined {
    return this.#spenders.get(outpointKey(txid, vout));
  }

  /** An output that the best chain or an entry provides, whether or not an entry spends it. */
  output(txid: Uint8Array, vout: number): CoinRow | undefined {
    const parent = this.#entries.get(displayHash(txid));
    const output = parent?.tx.outputs[vout];
    if (output === undefined) return this.#store.coin(txid, vout);
    return { valueSat: output.valueSat, script: output.scriptPubKey, height: Number.MAX_SAFE_INTEGER, coinbase: false };
  }

  /** Whether the transaction may enter, without letting it in. */
  check(tx: BitcoinTransaction, next: NextBlock, time: number): MempoolCheck {
    const txid = transactionId(tx);
    const refuse = (reason: string, code: number = FAULT.rejected) => ({ ok: false, code, reason }) as const;
    if (this.#entries.has(displayHash(txid))) return refuse("txn-already-in-mempool");
    if (isCoinbase(tx)) return refuse("coinbase");
    const replaces = this.#conflicts(tx);
    const gone = new Set(replaces.map((entry) => displayHash(entry.txid)));
    const coin = (id: Uint8Array, vout: number) => (gone.has(displayHash(id)) ? undefined : this.output(id, vout));
    const checked = checkTransaction(tx, { coin, ...next });
    if (!checked.ok) {
      return refuse(checked.reason, checked.reason.endsWith("missingorspent") ? FAULT.verify : FAULT.rejected);
    }
    const entry = { tx, txid, feeSat: checked.feeSat, vsize: transactionVsize(tx), time };
    const policy = policyReason(entry) ?? replacementReason(entry, replaces);
    return policy === undefined ? { ok: true, entry, replaces } : refuse(policy);
  }

  /** Lets a checked transaction in and drops what it replaces. */
  add(check: Extract<MempoolCheck, { ok: true }>): void {
    for (const entry of check.replaces) this.remove(entry.txid);
    const { entry } = check;
    this.#entries.set(displayHash(entry.txid), entry);
    for (const input of entry.tx.inputs) {
      this.#spenders.set(outpointKey(input.txid, input.vout), displayHash(entry.txid));
    }
    this.#store.storeMempool(entry.txid, entry.time, serializeTransaction(entry.tx));
  }

  /** Drops one entry. */
  remove(txid: Uint8Array): void {
    const id = displayHash(txid);
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    for (const input of entry.tx.inputs) this.#spenders.delete(outpointKey(input.txid, input.vout));
    this.#store.unstoreMempool(txid);
  }

  /** Forgets what is held in memory: the database was rolled back, or entries are about to be re-admitted. */
  forget(): void {
    this.#entries.clear();
    this.#spenders.clear();
  }

  // What would have to leave: direct conflicts and everything that spends from them.
  #conflicts(tx: BitcoinTransaction): MempoolEntry[] {
    const found = new Map<string, MempoolEntry>();
    const visit = (id: string | undefined): void => {
      const entry = id === undefined ? undefined : this.#entries.get(id);
      if (id === undefined || entry === undefined || found.has(id)) return;
      found.set(id, entry);
      for (const vout of entry.tx.outputs.keys()) visit(this.spender(entry.txid, vout));
    };
    for (const input of tx.inputs) visit(this.spender(input.txid, input.vout));
    return [...found.values()];
  }
}

function policyReason(entry: MempoolEntry): string | undefined {
  for (const output of entry.tx.outputs) {
    if (output.scriptPubKey[0] !== 0x6a && output.valueSat < DUST_SAT) return "dust";
  }
  return entry.feeSat * 1000n < RELAY_FEE_PER_KVB * BigInt(entry.vsize) ? "min relay fee not met" : undefined;
}

function replacementReason(entry: MempoolEntry, replaces: readonly MempoolEntry[]): string | undefined {
  if (replaces.length === 0) return undefined;
  const oldFees = replaces.reduce((sum, { feeSat }) => sum + feeSat, 0n);
  const increment = (RELAY_FEE_PER_KVB * BigInt(entry.vsize) + 999n) / 1000n;
  const cheaper = replaces.some((old) => entry.feeSat * BigInt(old.vsize) <= old.feeSat * BigInt(entry.vsize));
  return cheaper || entry.feeSat < oldFees + increment ? "insufficient fee, rejecting replacement" : undefined;
}
