/**
 * A chain for tests of the settler's faults: a pool in nonce order, a hub with its numbering, blocks made by hand.
 * What it settles it computes from the batch bytes alone.
 */
import { type Address, bytesToHex, type Hash, hexToBytes, sha256 } from "@cairn/primitives";
import {
  batchCommitment,
  batchHeader,
  decodeVerifyProofsInput,
  excludedLeaf,
  leafHash,
  leafPreimage,
  merkleRoot,
} from "@cairn/proofs";
import type { PayerCharge } from "../payment/ledger-store.ts";
import type { SettledEvent, SettlementPort } from "../ports.ts";
import { hashOf } from "./samples.ts";

const SUBMITTER = `0x${"5e".repeat(20)}` as const;
const HUB = `0x${"c0".repeat(20)}` as const;
const CHAIN_ID = 5n;

interface SentTransaction {
  readonly number: number;
  readonly nonce: number;
  readonly gasLimit: number;
  readonly batch: Uint8Array;
  readonly payers: readonly Address[];
}

/** The chain and what a test may do to it. */
export interface SimulatedChain {
  readonly port: SettlementPort;
  /** Every raw transaction ever sent, in order. */
  readonly sent: readonly string[];
  readonly events: readonly SettledEvent[];
  /** Commits a block of everything in the pool; transactions below the gas needed are reverted. */
  mine(o?: { readonly gasNeeded?: number; readonly exclude?: readonly number[] }): void;
  /** Forgets the pool. */
  losePool(): void;
  /** Another transaction of the submitter is included. */
  useNonce(): void;
  /** The next `send` throws after (`late`) or before the pool has it. */
  failNextSend(late: boolean): void;
  genesis: Hash;
  /** Payers that the vault skips. */
  readonly short: Set<Address>;
}

/** Starts at block 0. */
export function createSimulatedChain(): SimulatedChain {
  const pool = new Map<number, string>();
  const outcomes = new Map<Hash, "settled" | "reverted">();
  const sent: string[] = [];
  const events: SettledEvent[] = [];
  let head = 0;
  let nonce = 0;
  let previous = new Uint8Array(32);
  let failure: "none" | "early" | "late" = "none";

  const settle = (tx: SentTransaction, hash: Hash, exclude: readonly number[]): void => {
    const { slots } = decodeVerifyProofsInput(tx.batch);
    const leaves = slots.map((slot, i) =>
      exclude.includes(i) ? excludedLeaf() : leafHash(leafPreimage(sha256(slot.proof), slot.record)),
    );
    const root = merkleRoot(leaves);
    const number = BigInt(tx.number);
    const submitter = hexToBytes(SUBMITTER);
    const header = batchHeader({ chainId: CHAIN_ID, submitter, number, size: slots.length, root, previous });
    const commitment = batchCommitment(header);
    previous = Uint8Array.from(commitment);
    const counts = { size: slots.length, verified: slots.length - exclude.length, commitments: 0, excluded: exclude };
    const place = {
      block: head,
      transactionHash: hash,
      transactionIndex: 0,
      charges: chargesOf(tx, exclude, chain.short),
    };
    events.push({ number: tx.number, commitment: bytesToHex(commitment), root: bytesToHex(root), ...counts, ...place });
  };
  const chain: SimulatedChain = {
    sent,
    events,
    genesis: hashOf("genesis"),
    short: new Set(),
    mine: ({ gasNeeded = 0, exclude = [] } = {}) => {
      head += 1;
      for (let raw = pool.get(nonce); raw !== undefined; raw = pool.get(nonce)) {
        pool.delete(nonce);
        nonce += 1;
        const tx = decode(raw);
        const isGood = tx.number === events.length + 1 && tx.gasLimit >= gasNeeded;
        outcomes.set(hashOf(raw), isGood ? "settled" : "reverted");
        if (isGood) settle(tx, hashOf(raw), exclude);
      }
    },
    losePool: () => pool.clear(),
    useNonce: () => {
      nonce += 1;
    },
    failNextSend: (late) => {
      failure = late ? "late" : "early";
    },
    port: {
      chainId: CHAIN_ID,
      submitter: SUBMITTER,
      hub: HUB,
      genesis: async () => chain.genesis,
      head: async () => head,
      nonce: async () => nonce,
      sign: async (o) => {
        const raw = JSON.stringify({ ...o, batch: bytesToHex(o.batch) });
        return { raw: new TextEncoder().encode(raw), hash: hashOf(raw) };
      },
      send: async (bytes) => {
        const raw = new TextDecoder().decode(bytes);
        const failing = failure;
        failure = "none";
        if (failing === "early") throw new Error("connection refused");
        sent.push(raw);
        const used = decode(raw).nonce < nonce;
        if (!used) pool.set(decode(raw).nonce, raw);
        if (failing === "late") throw new Error("connection reset");
        return used ? { ok: false, code: "nonce-used", message: "nonce too low" } : { ok: true };
      },
      locate: async (hash) =>
        outcomes.get(hash) ?? ([...pool.values()].some((raw) => hashOf(raw) === hash) ? "pending" : "unknown"),
      settled: async (from, to) => events.filter((event) => event.block >= from && event.block <= to),
      parts: async (event) => {
        if (event.block >= head) throw new Error("the next block is not committed");
        return { ...EMPTY_PARTS, chainId: CHAIN_ID, hub: HUB };
      },
    },
  };
  return chain;
}

const NO_COMMIT = {
  height: "1",
  round: 0,
  block_id: { hash: "", parts: { total: 0, hash: "" } },
  signatures: [],
};
const EMPTY_PARTS = {
  header: Uint8Array.of(0xc0),
  transactions: [Uint8Array.of(1)],
  receipts: [Uint8Array.of(2)],
  index: 0,
  consensus: { header: {}, commit: NO_COMMIT, validators: [] },
};

function decode(raw: string): SentTransaction {
  const { number, nonce, gasLimit, batch, payers } = JSON.parse(raw);
  return { number, nonce, gasLimit, batch: hexToBytes(batch), payers };
}

/** What a vault would do with the payers; all on day 0. */
function chargesOf(tx: SentTransaction, exclude: readonly number[], short: ReadonlySet<Address>): PayerCharge[] {
  const { slots } = decodeVerifyProofsInput(tx.batch);
  return tx.payers.flatMap((payer, index) => {
    const own = slots.filter((slot, at) => slot.payerIndex === index && !exclude.includes(at));
    const amountWei = own.reduce((sum, slot) => sum + slot.priceWei, 0n);
    const charged = short.has(payer) ? undefined : { day: 0, spentWei: amountWei };
    return amountWei === 0n ? [] : [{ payer, amountWei, charged }];
  });
}
