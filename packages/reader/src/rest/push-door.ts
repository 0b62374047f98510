/**
 * Taking pushed block numbers (specification: `POST {reader_url}/add-block-by-number/<block_number>`): decided from
 * content alone and stored before it is answered; the chain is asked later.
 */
import { bytesToHex, sha256 } from "@cairn/primitives";
import { EndpointError } from "../endpoint-error.ts";
import { MAX_WAITING, MAX_WAITING_ALTOGETHER, type Push } from "../state/pushes.ts";
import type { StateStore } from "../state/state-store.ts";
import type { EntryWorker } from "../worker/entry-worker.ts";

/** Taken, or why not, with the HTTP status. */
export type PushAnswer =
  | { readonly status: 202 | 200; readonly push: Push; readonly worker: EntryWorker }
  | { readonly status: 404 | 422 | 502 | 503; readonly code: string; readonly detail: string };

const TIME_TO_LIVE_MS = 3_600_000;
/** Longest a strict push waits for the chain's head. */
const STRICT_WAIT_MS = 15_000;

/** A pushed height. */
export interface PushRequest {
  /** As it stands in the path. */
  readonly number: string;
  /** Name or id of a chain, `contract:` in front for a contract entry of a name used twice. */
  readonly chain: string | undefined;
  /** Answers 404 for a height above the head instead of waiting for it. */
  readonly strict: boolean;
}

/** Takes pushed heights. */
export interface PushDoor {
  add(request: PushRequest, signal: AbortSignal): Promise<PushAnswer>;
}

/** What taking them needs. */
export interface PushDoorOptions {
  /** The workers as they are now. */
  readonly workers: () => readonly EntryWorker[];
  readonly store: StateStore;
  readonly now: () => number;
}

/** A door over the workers of a reader. */
export function createPushDoor({ workers, store, now }: PushDoorOptions): PushDoor {
  async function isAboveHead(worker: EntryWorker, height: bigint, signal: AbortSignal): Promise<boolean> {
    return height > (await worker.head(AbortSignal.any([signal, AbortSignal.timeout(STRICT_WAIT_MS)])));
  }

  function enqueue(id: string, known: Push | undefined, worker: EntryWorker, height: bigint): PushAnswer {
    const full = store.pushes.waiting(worker.entry.key) >= MAX_WAITING;
    if (full || store.pushes.waiting() >= MAX_WAITING_ALTOGETHER) {
      return { status: 503, code: "queue-full", detail: "too many blocks are waiting; try again later" };
    }
    const expiresMs = now() + TIME_TO_LIVE_MS;
    if (known !== undefined) store.pushes.renew(id, expiresMs);
    else store.pushes.add({ id, chain: worker.entry.key, height, expiresMs });
    worker.wake();
    const push = store.pushes.get(id);
    if (push === undefined) throw new Error("the stored push is gone");
    return { status: 202, push, worker };
  }

  return {
    async add({ number, chain, strict }, signal) {
      const height = parseBlockNumber(number);
      if (height === undefined) {
        return { status: 422, code: "malformed-block-number", detail: "expected a decimal or 0x-hex block number" };
      }
      const worker = findWorker(workers(), chain);
      if (worker === undefined) return { status: 404, code: "unknown-chain", detail: "no entry has that name or id" };
      const id = pushId(worker.entry.key, height);
      const known = store.pushes.get(id);
      if (known !== undefined && known.status !== "expired") return { status: 200, push: known, worker };
      try {
        if (strict && (await isAboveHead(worker, height, signal))) {
          return { status: 404, code: "above-head", detail: "the chain has no such block yet" };
        }
      } catch (error) {
        if (!(error instanceof EndpointError) && !(error instanceof DOMException)) throw error;
        return { status: 502, code: "chain-unavailable", detail: "the chain does not tell its head now" };
      }
      return enqueue(id, known, worker, height);
    },
  };
}

/** Without a name the first entry of kind `rpc` or `sdk`; by name or id those come before `contract` entries. */
function findWorker(workers: readonly EntryWorker[], chain: string | undefined): EntryWorker | undefined {
  const blocks = workers.filter(({ entry }) => entry.kind !== "contract");
  if (chain === undefined) return blocks[0];
  const wanted = chain.toLowerCase();
  const isWanted = ({ entry }: EntryWorker) =>
    entry.key === wanted || entry.name === wanted || String(entry.chainId) === wanted;
  return blocks.find(isWanted) ?? workers.find(isWanted);
}

/** A block number in decimal or 0x-hex (specification: "Block identifier"), below 2^53; `undefined` otherwise. */
export function parseBlockNumber(text: string): bigint | undefined {
  if (!/^(0|[1-9]\d{0,15}|0x[0-9a-fA-F]{1,14})$/.test(text)) return undefined;
  const height = BigInt(text);
  return height <= BigInt(Number.MAX_SAFE_INTEGER) ? height : undefined;
}

function pushId(chain: string, height: bigint): string {
  return bytesToHex(sha256(new TextEncoder().encode(`push|${chain}|${height}`))).slice(0, 34);
}
