/**
 * Taking pushed block numbers (specification: `POST {reader_url}/add-block-by-number/<block_number>`): decided from
 * content alone and stored before it is answered; the chain is asked later.
 */
import { bytesToHex, sha256 } from "@cairn/primitives";
import type { EntryWorker } from "./entry-worker.ts";
import { MAX_WAITING, type Push, type StateStore } from "./state-store.ts";

export type PushAnswer =
  | { readonly status: 202 | 200; readonly push: Push; readonly worker: EntryWorker }
  | { readonly status: 404 | 422 | 503; readonly code: string; readonly detail: string };

const TIME_TO_LIVE_MS = 3_600_000;

export interface PushDoor {
  /** `strict` answers 404 for a height above the head instead of waiting for it. */
  add(text: string, chain: string | undefined, strict: boolean, signal: AbortSignal): Promise<PushAnswer>;
}

/** A door over the workers of a reader. */
export function createPushDoor(workers: readonly EntryWorker[], store: StateStore, now: () => number): PushDoor {
  function find(chain: string | undefined): EntryWorker | undefined {
    if (chain === undefined) return workers[0];
    const wanted = chain.toLowerCase();
    return workers.find(({ entry }) => entry.name === wanted || String(entry.chainId) === wanted);
  }

  return {
    async add(text, chain, strict, signal) {
      const height = parseBlockNumber(text);
      if (height === undefined) {
        return { status: 422, code: "malformed-block-number", detail: "expected a decimal or 0x-hex block number" };
      }
      const worker = find(chain);
      if (worker === undefined) return { status: 404, code: "unknown-chain", detail: "no entry has that name or id" };
      const id = pushId(worker.entry.name, height);
      const known = store.push(id);
      if (known !== undefined && known.status !== "expired") return { status: 200, push: known, worker };
      if (strict && height > (await worker.head(signal))) {
        return { status: 404, code: "above-head", detail: "the chain has no such block yet" };
      }
      if (store.waitingPushes() >= MAX_WAITING) {
        return { status: 503, code: "queue-full", detail: "too many blocks are waiting; try again later" };
      }
      if (known !== undefined) store.updatePush(id, { status: "queued" });
      else store.addPush(newPush(id, worker.entry.name, height, now() + TIME_TO_LIVE_MS));
      worker.wake();
      const push = store.push(id);
      if (push === undefined) throw new Error("the stored push is gone");
      return { status: 202, push, worker };
    },
  };
}

/** A block number in decimal or 0x-hex (specification: "Block identifier"), below 2^53; `undefined` otherwise. */
export function parseBlockNumber(text: string): bigint | undefined {
  if (!/^(0|[1-9]\d{0,15}|0x[0-9a-fA-F]{1,14})$/.test(text)) return undefined;
  const height = BigInt(text);
  return height <= BigInt(Number.MAX_SAFE_INTEGER) ? height : undefined;
}

function newPush(id: string, chain: string, height: bigint, expiresMs: number): Push {
  return { id, chain, height, status: "queued", expiresMs, submissionId: undefined, error: undefined };
}

function pushId(chain: string, height: bigint): string {
  return bytesToHex(sha256(new TextEncoder().encode(`push|${chain}|${height}`))).slice(0, 34);
}
