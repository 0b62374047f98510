/**
 * What an operator has to know of, as one list of codes, and when each holds. Pure: facts in, alarms out. Who collects
 * the facts and who is told is `alarm-watch.ts`'s.
 *
 *   excluded-in-consensus  validators excluded a slot that this service had verified      (until acknowledged)
 *   final-anchor-lost      a final anchor's block left the best chain                     (until acknowledged)
 *   anchor-fee-capped      the unconfirmed anchor should offer more than its cap
 *   anchor-runway          the wallet pays for fewer anchors than asked for
 *   worker-stalled         a worker has been failing for longer than `workerStalledMs`
 *   store-unavailable      the store takes no writes: the disk is full or failing, or another process holds it
 *   disk-low               the home's file system has less room left than `diskFreeBytes`
 *   chain-stalled          the chain makes no block, or its node does not answer
 *   bitcoin-stalled        the Bitcoin node's tip is old
 *   bitcoin-shrank         the Bitcoin node's tip is lower than it was
 *   bitcoin-behind         another Bitcoin node is ahead
 *   bitcoin-witness-silent another Bitcoin node does not answer
 */

/** Codes of alarms. */
export const ALARM_CODES = [
  "excluded-in-consensus",
  "final-anchor-lost",
  "anchor-fee-capped",
  "anchor-runway",
  "worker-stalled",
  "store-unavailable",
  "disk-low",
  "chain-stalled",
  "bitcoin-stalled",
  "bitcoin-shrank",
  "bitcoin-behind",
  "bitcoin-witness-silent",
] as const;

/** Code of an alarm. */
export type AlarmCode = (typeof ALARM_CODES)[number];

/** Alarms that stay until an operator acknowledges them: what they tell of is past, not gone. */
export const LATCHED = ["excluded-in-consensus", "final-anchor-lost"] as const satisfies readonly AlarmCode[];

/** Limits an operator chooses. */
export interface AlarmPolicy {
  /** Anchors the wallet should pay for at today's fee. */
  readonly runway: number;
  readonly chainStalledMs: number;
  readonly tipAgeMs: number;
  readonly workerStalledMs: number;
  readonly diskFreeBytes: number;
}

/** What is known at an instant. Undefined: not known, which raises nothing. */
export interface AlarmFacts {
  readonly nowMs: number;
  readonly feeCapped: boolean;
  /** Of the newest anchor's change, and the cost of one more. */
  readonly wallet: { readonly changeSat: number; readonly costSat: number } | undefined;
  /** By worker: since when it fails, with the message. */
  readonly failing: readonly { readonly worker: string; readonly sinceMs: number; readonly message: string }[];
  /** Why the store took no write just now; undefined: it took one. */
  readonly storeFault: string | undefined;
  /** Room left where the home is. */
  readonly diskFreeBytes: number | undefined;
  /** When the chain's head was last seen to move. */
  readonly chainMovedAtMs: number | undefined;
  readonly bitcoin:
    | {
        readonly tip: number;
        readonly tipTimeMs: number;
        readonly highestTip: number;
        readonly behind: number;
        readonly silent: number;
      }
    | undefined;
}

/** An alarm with what it says. */
export type RaisedAlarm = readonly [code: AlarmCode, detail: string];

/** A tip that is one or two lower is an everyday reorg. */
const SHRUNK_BLOCKS = 3;
const BEHIND_BLOCKS = 3;

/** The alarms that hold. */
export function alarmsOf(facts: AlarmFacts, policy: AlarmPolicy): readonly RaisedAlarm[] {
  const { storeFault } = facts;
  return [
    ...walletAlarms(facts, policy),
    ...(storeFault === undefined ? [] : [["store-unavailable", `${storeFault}: submissions are refused`] as const]),
    ...diskAlarms(facts, policy),
    ...workerAlarms(facts, policy),
    ...bitcoinAlarms(facts, policy),
  ];
}

/** Anchors that the wallet pays for at today's fee. */
export function runwayOf({ changeSat, costSat }: { readonly changeSat: number; readonly costSat: number }): number {
  return Math.max(0, Math.floor(changeSat / Math.max(1, costSat)));
}

function walletAlarms({ feeCapped, wallet }: AlarmFacts, policy: AlarmPolicy): RaisedAlarm[] {
  const alarms: RaisedAlarm[] = [];
  if (feeCapped) alarms.push(["anchor-fee-capped", "the unconfirmed anchor may not offer more: raise fee.cap or wait"]);
  const runway = wallet === undefined ? undefined : runwayOf(wallet);
  if (runway !== undefined && runway < policy.runway) {
    alarms.push(["anchor-runway", `the anchor wallet pays for ${runway} more anchors: send coins to its address`]);
  }
  return alarms;
}

const MIB = 1024 * 1024;

function diskAlarms({ diskFreeBytes: free }: AlarmFacts, policy: AlarmPolicy): RaisedAlarm[] {
  if (free === undefined || free >= policy.diskFreeBytes) return [];
  return [["disk-low", `the home's disk has ${Math.floor(free / MIB)} MiB left: make room before it is full`]];
}

function workerAlarms({ nowMs, failing, chainMovedAtMs }: AlarmFacts, policy: AlarmPolicy): RaisedAlarm[] {
  const stalled = failing.filter(({ sinceMs }) => nowMs - sinceMs >= policy.workerStalledMs);
  const alarms: RaisedAlarm[] = [];
  if (stalled.length > 0) {
    alarms.push(["worker-stalled", stalled.map(({ worker, message }) => `${worker}: ${message}`).join("; ")]);
  }
  if (chainMovedAtMs !== undefined && nowMs - chainMovedAtMs >= policy.chainStalledMs) {
    const seconds = Math.floor((nowMs - chainMovedAtMs) / 1000);
    alarms.push(["chain-stalled", `the chain made no block for ${seconds} s that this service saw`]);
  }
  return alarms;
}

function bitcoinAlarms({ nowMs, bitcoin }: AlarmFacts, policy: AlarmPolicy): RaisedAlarm[] {
  if (bitcoin === undefined) return [];
  const { tip, tipTimeMs, highestTip, behind, silent } = bitcoin;
  const alarms: RaisedAlarm[] = [];
  const ageMs = nowMs - tipTimeMs;
  if (ageMs >= policy.tipAgeMs) {
    alarms.push(["bitcoin-stalled", `the Bitcoin node's newest block is ${Math.floor(ageMs / 60_000)} min old`]);
  }
  if (highestTip - tip >= SHRUNK_BLOCKS) {
    alarms.push(["bitcoin-shrank", `the Bitcoin node is at ${tip}, it was at ${highestTip}: it lost blocks`]);
  }
  if (behind >= BEHIND_BLOCKS) alarms.push(["bitcoin-behind", `another Bitcoin node is ${behind} blocks ahead`]);
  if (silent > 0) alarms.push(["bitcoin-witness-silent", `${silent} of the further Bitcoin nodes do not answer`]);
  return alarms;
}
