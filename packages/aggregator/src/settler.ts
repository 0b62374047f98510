/**
 * The settler worker: signs one transaction per batch in number and nonce order, writes it before sending, sends it
 * again until it is included, and applies committed `BatchSettled` logs. Knows the chain only through its port.
 */
import { batchInput } from "./batch-input.ts";
import type { BatchSlot, SettlementAttempt, UnsettledBatch } from "./batch-store.ts";
import { keyShape } from "./key-shape.ts";
import type { Clock, Log, SettlementPort } from "./ports.ts";
import { keyGas, settlementGasLimit, slotGas } from "./settlement-gas.ts";
import { isLive } from "./settlement-life.ts";
import { applySettled } from "./settlement-log.ts";
import type { Store } from "./store.ts";

/** Bounds and pace of settling. */
export interface SettlerPolicy {
  /** Batches with a live transaction at a time. */
  readonly inFlight: number;
  /** Rest while something is in flight. */
  readonly pollMs: number;
  /** A transaction not included for this long is looked up, and sent again when the pool lost it. */
  readonly resendMs: number;
}

/** What the worker is made of. */
export interface SettlerOptions {
  readonly store: Store;
  readonly port: SettlementPort;
  readonly policy: SettlerPolicy;
  readonly clock: Clock;
  readonly log: Log;
  /** Asked once per settled batch: mock payments fall short (a fault of the sandbox). */
  readonly mockShort?: () => boolean;
  readonly onSettled: (number: number) => void;
  /** Before excluded slots become durable: an alarm. */
  readonly onExcluded?: (detail: string) => Promise<void>;
}

/** The store belongs to another chain than the node answers for. */
export class ChainMismatchError extends Error {
  override readonly name = "ChainMismatchError";
}

/** The node's pool takes a settlement not, for what its message says; it is sent again. */
export class SettlementRefusedError extends Error {
  override readonly name = "SettlementRefusedError";
}

const IDLE_MS = 1_000;
const LOG_RANGE = 5_000;
/** Further attempts get more gas, up to this many times the estimate. */
const MOST_GAS_FACTOR = 8;

/** Makes the worker's step. Attempts signed before this process started are sent once more at the first step. */
export function settlerStep(o: SettlerOptions): () => Promise<{ readonly restMs: number }> {
  const sentAtMs = new Map<string, number>();
  let prepared = false;
  return async () => {
    if (!prepared) await prepareChain(o);
    if (!prepared && (await o.store.setting("restored")) === "yes") {
      await applyCommitted(o);
      await o.store.set("restored", "");
    }
    prepared = true;
    const open = await o.store.unsettled(o.policy.inFlight);
    if (open.length === 0) {
      sentAtMs.clear();
      return { restMs: IDLE_MS };
    }
    if (open.some((batch) => batch.attempt !== undefined)) await applyCommitted(o);
    let refusal: SettlementRefusedError | undefined;
    for (const batch of await o.store.unsettled(o.policy.inFlight)) {
      const refused = await advance(o, batch, sentAtMs);
      refusal ??= refused;
    }
    // The worker fails, visibly, and tries again later each time.
    if (refusal !== undefined) throw refusal;
    return { restMs: o.policy.pollMs };
  };
}

/** Binds a new store to its chain, after the submitter's last batch there; refuses another chain. */
async function prepareChain({ store, port, log }: SettlerOptions): Promise<void> {
  const genesis = await port.genesis();
  const known = await store.setting("chain");
  if (known !== undefined && known !== genesis) {
    throw new ChainMismatchError(`the store belongs to the chain with genesis ${known}, the node answers ${genesis}`);
  }
  if (known !== undefined) return;
  const head = await port.head();
  for (let from = 0; from <= head; from += LOG_RANGE) {
    const last = (await port.settled(from, Math.min(head, from + LOG_RANGE - 1))).at(-1);
    if (last === undefined) continue;
    await store.set("batch-base", String(last.number));
    await store.set("batch-base-commitment", last.commitment);
    log.warn({ number: last.number }, "the chain knows batches of this settler that this store does not");
  }
  await store.set("settlement-cursor", String(head));
  await store.set("chain", genesis);
}

/** Applies logs up to the block before the head, whose successor's header commits to it. */
async function applyCommitted(o: SettlerOptions): Promise<void> {
  const safe = (await o.port.head()) - 1;
  let cursor = Number((await o.store.setting("settlement-cursor")) ?? 0);
  while (cursor < safe) {
    const to = Math.min(safe, cursor + LOG_RANGE);
    const events = await o.port.settled(cursor + 1, to);
    for (const event of events) await applySettled(o, event);
    await o.store.set("settlement-cursor", String(to));
    cursor = to;
  }
}

/** What sending came to where the pool said no. */
type Sending = Promise<SettlementRefusedError | undefined>;

async function advance(o: SettlerOptions, batch: UnsettledBatch, sentAtMs: Map<string, number>): Sending {
  const { attempt } = batch;
  if (attempt === undefined || !isLive(attempt.state)) {
    if (attempt !== undefined && o.clock() < attempt.signedAtMs + retryDelayMs(attempt.attempt)) return undefined;
    const signed = await sign(o, batch);
    return send(o, signed, sentAtMs);
  }
  const last = sentAtMs.get(attempt.hash);
  if (attempt.state === "signed" || last === undefined) return send(o, attempt, sentAtMs);
  return o.clock() - last >= o.policy.resendMs ? examine(o, attempt, sentAtMs) : undefined;
}

function retryDelayMs(attempt: number): number {
  return attempt < 3 ? 0 : Math.min(60_000, 250 * 2 ** attempt);
}

async function sign(o: SettlerOptions, batch: UnsettledBatch): Promise<SettlementAttempt> {
  const slots = await o.store.slots(batch.number);
  const nonce = Math.max(await o.port.nonce(), ((await o.store.lastNonce()) ?? -1) + 1);
  const attempt = (batch.attempt?.attempt ?? 0) + 1;
  const { bytes, payers } = batchInput(slots);
  const gasLimit = gasLimitOf(slots, bytes.length, payers.length) * Math.min(attempt, MOST_GAS_FACTOR);
  const signed = await o.port.sign({ number: batch.number, batch: bytes, payers, nonce, gasLimit });
  const row = {
    batch: batch.number,
    attempt,
    nonce,
    hash: signed.hash,
    state: "signed" as const,
    signedAtMs: o.clock(),
  };
  await o.store.addAttempt({ ...row, raw: signed.raw });
  return row;
}

/** Each key is priced once, each slot by its kind and inputs. */
function gasLimitOf(slots: readonly BatchSlot[], batchBytes: number, payers: number): number {
  const proofs = slots.filter((slot) => slot.kind === "proof");
  const keys = new Map(proofs.map(({ vkHash, curve, canonicalKey }) => [vkHash, { curve, canonicalKey }]));
  const ofKeys = [...keys.values()].map(({ curve, canonicalKey: key }) =>
    keyGas({ curve, keyBytes: key.length, commitments: keyShape(curve, key).commitments }),
  );
  const ofSlots = slots.map(({ kind, curve, canonicalProof, publicInputs }) =>
    slotGas({ kind, curve, proofBytes: canonicalProof.length, publicInputsBytes: publicInputs.length }),
  );
  const verificationGas = [...ofKeys, ...ofSlots].reduce((sum, gas) => sum + gas, 0);
  return settlementGasLimit({ batchBytes, verificationGas, payers });
}

async function send(o: SettlerOptions, attempt: SettlementAttempt, sentAtMs: Map<string, number>): Sending {
  const raw = await o.store.attemptRaw(attempt.batch, attempt.attempt);
  if (raw === undefined) throw new Error(`attempt ${attempt.attempt} of batch ${attempt.batch} has no bytes`);
  sentAtMs.set(attempt.hash, o.clock());
  const outcome = await o.port.send(raw);
  if (!outcome.ok && outcome.code !== "nonce-used") {
    return new SettlementRefusedError(
      `the chain's pool refuses the settlement of batch ${attempt.batch}: ${outcome.message}`,
    );
  }
  if (outcome.ok) await o.store.moveAttempt(attempt.batch, attempt.attempt, "accepted");
  else await settleNonceUse(o, attempt);
  return undefined;
}

/** The nonce is used: by this transaction, or by another one, after which this one can never be included. */
async function settleNonceUse(o: SettlerOptions, attempt: SettlementAttempt): Promise<void> {
  const place = await o.port.locate(attempt.hash);
  if (place === "settled" || place === "pending") {
    return o.store.moveAttempt(attempt.batch, attempt.attempt, "accepted");
  }
  const event = place === "reverted" ? "reverted" : "displaced";
  o.log.warn({ batch: attempt.batch, attempt: attempt.attempt, event }, "a settlement had no effect, signing another");
  await o.store.moveAttempt(attempt.batch, attempt.attempt, event);
}

async function examine(o: SettlerOptions, attempt: SettlementAttempt, sentAtMs: Map<string, number>): Sending {
  const place = await o.port.locate(attempt.hash);
  if (place === "unknown") return send(o, attempt, sentAtMs);
  sentAtMs.set(attempt.hash, o.clock());
  if (place !== "reverted") return undefined;
  o.log.warn({ batch: attempt.batch, attempt: attempt.attempt }, "a settlement was reverted, signing another");
  await o.store.moveAttempt(attempt.batch, attempt.attempt, "reverted");
  return undefined;
}
