/** Usage of accounts as the store keeps it: counters, changed where a state's event is written. */

/** What an account did on a UTC day for a chain. */
export interface UsageRow {
  /** `2026-11-21`. */
  readonly day: string;
  readonly chainKey: string;
  /** Accepted, resubmissions included. */
  readonly submissions: number;
  readonly verified: number;
  readonly rejected: number;
  /** That reached `settled`, duplicates of a statement included; counted on the day of their settlement. */
  readonly settled: number;
}

/** Usage by account, day and chain; changes in the transaction that changes a submission's state. */
export interface UsageStore {
  /** Days from that of `fromMs` to that of `toMs`, the newest first. */
  usage(account: string, o: { readonly fromMs: number; readonly toMs: number }): Promise<readonly UsageRow[]>;
  /** Submissions of each account on the UTC day of `atMs`. */
  submissionsOfDay(atMs: number): Promise<ReadonlyMap<string, number>>;
}
