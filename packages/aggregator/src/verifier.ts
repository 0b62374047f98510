/** The verifier worker: drains `received` in groups, one call of the verifier per group. Does not verify by itself. */
import { bytesToHex, concatBytes, hexToBytes, sha256 } from "@cairn/primitives";
import { type LeafRecord, leafHash, leafPreimage, recordV1, statementHash } from "@cairn/proofs";
import { resolvingVerifier } from "./key-resolution.ts";
import type { Rest } from "./loop.ts";
import { type PricePlans, verifiedPrice } from "./payment/price.ts";
import type { Clock, ProfilePort, ProofItem, Verdict, VerifierPort } from "./ports.ts";
import type { ProofFacts, ReceivedProof, Store, VerdictRecord } from "./store.ts";

/** Bounds of one group. */
export interface VerifierPolicy {
  readonly groupSize: number;
  readonly groupCharacters: number;
}

const IDLE_MS = 1_000;
/**
 * Under load, submissions gather into larger groups, which share a transaction and the cost of batch verification: the
 * busier the last group was, the longer. A lone submission hardly waits.
 */
const GATHER_MS_PER_PROOF = 4;
const MAX_GATHER_MS = 150;

/** One group: answers how many submissions left `received`. */
export function verifierStep(o: {
  readonly store: Store;
  readonly verifier: VerifierPort;
  readonly profileOf?: ProfilePort | undefined;
  readonly policy: VerifierPolicy;
  readonly clock: Clock;
  /** 32 random bytes. */
  readonly randomSalt: () => Uint8Array;
  /** Price plans by name; none: what is reserved is the price. */
  readonly plans?: PricePlans;
  readonly onVerified: (count: number) => void;
}): () => Promise<Rest> {
  const verifier = resolvingVerifier(o.verifier, o.store);
  return async () => {
    const group = await o.store.received(o.policy.groupSize, o.policy.groupCharacters);
    if (group.length === 0) return { restMs: IDLE_MS };
    const verdicts = await verifier.verify(group.map((item) => proofItem(item, o.profileOf)));
    const records = group.map((item, index) => judged(item, verdicts[index], o));
    await o.store.recordVerdicts(records, o.clock());
    o.onVerified(group.length);
    return { restMs: 0, atLeastMs: group.length < o.policy.groupSize ? gatherMs(group.length) : 0 };
  };
}

function gatherMs(proofs: number): number {
  return Math.min(MAX_GATHER_MS, proofs * GATHER_MS_PER_PROOF);
}

function judged(
  item: ReceivedProof,
  verdict: Verdict | undefined,
  o: { readonly randomSalt: () => Uint8Array; readonly plans?: PricePlans },
): VerdictRecord {
  const record = verdictRecord(item, verdict, o.randomSalt());
  if (!record.ok || item.payment === undefined) return record;
  const priceWei = verifiedPrice(item.payment, record.facts, o.plans ?? {});
  return priceWei === undefined
    ? { ok: false, seq: item.seq, code: "quote-mismatch", detail: `the quote is for ${item.payment.quotedFor}` }
    : { ...record, priceWei };
}

function proofItem({ account, chainKey, proofData }: ReceivedProof, profileOf: ProfilePort | undefined): ProofItem {
  const profile = profileOf?.(account, chainKey);
  return profile === undefined ? proofData : { proofData, profile };
}

type Verified = Extract<Verdict, { readonly ok: true }>;

/** What a verdict makes of a submission: facts, record and leaf, or the code of its rejection. */
export function verdictRecord(item: ReceivedProof, verdict: Verdict | undefined, salt: Uint8Array): VerdictRecord {
  if (verdict === undefined) throw new Error("the verifier gave fewer verdicts than proofs");
  if (!verdict.ok) return { ok: false, seq: item.seq, code: verdict.code, detail: verdict.detail };
  const record = leafRecord(item, verdict, salt);
  const recordBytes = recordV1(record);
  return {
    ok: true,
    seq: item.seq,
    facts: factsOf(verdict, record),
    statementKey: verdict.kind === "proof" ? statementKey(item, record) : undefined,
    canonicalProof: verdict.canonicalProof,
    canonicalKey: verdict.canonicalKey,
    publicInputs: verdict.publicInputs,
    record: recordBytes,
    leaf: leafHash(leafPreimage(hexToBytes(verdict.proofHash), recordBytes)),
    priceWei: undefined,
  };
}

function leafRecord(item: ReceivedProof, verdict: Verified, salt: Uint8Array): LeafRecord {
  const { kind, system, curve, encoding, version } = verdict;
  return {
    ...{ kind, system, curve, encoding, version },
    vkHash: hexToBytes(verdict.vkHash),
    publicInputsHash: hexToBytes(verdict.publicInputsHash),
    chainId: item.chainKey,
    blockNumber: item.blockNumber === undefined ? null : BigInt(item.blockNumber),
    salt,
  };
}

function factsOf(verdict: Verified, record: LeafRecord): ProofFacts {
  const { kind, system, curve, encoding, version, vkHash, publicInputsHash, proofHash } = verdict;
  return {
    ...{ kind, system, curve, encoding, version, vkHash, publicInputsHash, proofHash },
    statement: kind === "proof" ? bytesToHex(statementHash(record)) : undefined,
    salt: bytesToHex(record.salt),
  };
}

/** Same account, chain, block number, key and public inputs: the same statement (docs/formats.md, Identifiers). */
function statementKey(item: ReceivedProof, record: LeafRecord): Uint8Array {
  const names = JSON.stringify([item.account, item.chainKey, item.blockNumber ?? null]);
  return sha256(concatBytes(record.vkHash, record.publicInputsHash, new TextEncoder().encode(names)));
}
