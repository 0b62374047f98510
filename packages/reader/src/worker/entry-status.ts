/** What an entry's worker tells about itself. */
import type { Entry } from "../config/entry.ts";

/** Where an entry stands; counts since the start. */
export interface EntryStatus {
  readonly chain: string;
  readonly kind: Entry["kind"];
  readonly chainId: number;
  readonly cursor: bigint | undefined;
  readonly head: bigint | undefined;
  /** The newest height that may be taken under the finality rule. */
  readonly takeable: bigint | undefined;
  readonly submitted: number;
  readonly errors: number;
  readonly reorgs: number;
  readonly lastError: string | undefined;
  /** When that was, in ms since 1970: older than `lastSuccessMs` it is over. */
  readonly lastErrorMs: number | undefined;
  /** How often each endpoint (by host) contradicted two others, or served another chain. */
  readonly dissents: ReadonlyMap<string, number>;
  /** When something last went well, in ms since 1970. */
  readonly lastSuccessMs: number | undefined;
  /** Blocks of one `eth_getLogs`; contract entries only. */
  readonly logRange: number | undefined;
  /** Why the entry no longer runs; the others go on. */
  readonly stopped: string | undefined;
}

/** The status of an entry that has not begun. */
export function initialStatus({ name, kind, chainId }: Entry): EntryStatus {
  return {
    chain: name,
    kind,
    chainId,
    cursor: undefined,
    head: undefined,
    takeable: undefined,
    submitted: 0,
    errors: 0,
    reorgs: 0,
    lastError: undefined,
    lastErrorMs: undefined,
    dissents: new Map(),
    lastSuccessMs: undefined,
    logRange: undefined,
    stopped: undefined,
  };
}

/** Blocks between head and cursor; `undefined` while either is unknown. */
export function lagOf(status: EntryStatus): bigint | undefined {
  if (status.head === undefined || status.cursor === undefined) return undefined;
  return status.head > status.cursor ? status.head - status.cursor : 0n;
}
