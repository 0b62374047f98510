/** What an entry's worker tells about itself. */
export interface EntryStatus {
  readonly chain: string;
  readonly chainId: number;
  readonly cursor: bigint | undefined;
  readonly head: bigint | undefined;
  readonly submitted: number;
  readonly errors: number;
  readonly lastError: string | undefined;
  /** Why the entry no longer runs; the others go on. */
  readonly stopped: string | undefined;
}

/** The status of an entry that has not begun. */
export function initialStatus(chain: string, chainId: number): EntryStatus {
  return {
    chain,
    chainId,
    cursor: undefined,
    head: undefined,
    submitted: 0,
    errors: 0,
    lastError: undefined,
    stopped: undefined,
  };
}

/** Blocks between head and cursor; `undefined` while either is unknown. */
export function lagOf(status: EntryStatus): bigint | undefined {
  if (status.head === undefined || status.cursor === undefined) return undefined;
  return status.head > status.cursor ? status.head - status.cursor : 0n;
}
