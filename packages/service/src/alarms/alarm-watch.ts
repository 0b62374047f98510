/**
 * Watching for alarms: collects the facts every few seconds, keeps the list, logs each alarm once when it is raised and
 * once when it is over. Decides nothing: the rules are in `alarm-rules.ts`.
 */
import { statfs } from "node:fs/promises";
import type { Aggregator, Anchor, Log, SettlementPort, Store, WorkerName } from "@cairn/aggregator";
import type { BitcoinSide } from "../ports/bitcoin.ts";
import { type AlarmCode, type AlarmFacts, type AlarmPolicy, alarmsOf, runwayOf } from "./alarm-rules.ts";
import { type LatchedCode, latch, latchedAlarms } from "./latched-alarms.ts";

/** An alarm that holds. */
export interface Alarm {
  readonly code: AlarmCode;
  readonly sinceMs: number;
  readonly detail: string;
}

/** The list of alarms, kept up to date. */
export interface AlarmWatch {
  /** Oldest first. */
  list(): readonly Alarm[];
  /** Anchors that the wallet pays for; undefined: not known yet. */
  runway(): number | undefined;
  /** Raises an alarm that stays until it is acknowledged. */
  latch(code: LatchedCode, detail: string): Promise<void>;
  close(): Promise<void>;
}

/** What is watched. */
export interface AlarmParts {
  readonly home: string;
  readonly store: Store;
  readonly settlement: Pick<SettlementPort, "head">;
  readonly bitcoin: Pick<BitcoinSide, "status" | "port">;
  readonly policy: AlarmPolicy;
  readonly clock: () => number;
  readonly log: Log;
}

const EVERY_MS = 2_000;

/** Starts watching; `aggregator` is asked from the first look on. */
export function watchAlarms(o: AlarmParts, aggregator: () => Aggregator | undefined): AlarmWatch {
  let alarms: readonly Alarm[] = [];
  let wallet: AlarmFacts["wallet"];
  let closed = false;
  const senses = createSenses(o, aggregator);
  const look = async (): Promise<void> => {
    const facts = await senses();
    wallet = facts.wallet;
    const kept = await latchedAlarms(o.store).catch(() => alarms.filter(isKept));
    const raised = alarmsOf(facts, o.policy).map(([code, detail]) => ({ code, detail, sinceMs: facts.nowMs }));
    alarms = merged(o.log, alarms, [...kept, ...raised]);
  };
  let looking = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const next = (): void => {
    looking = look()
      .catch((error: unknown) => o.log.debug({ error: String(error) }, "alarms could not be looked at"))
      .finally(() => {
        if (!closed) timer = setTimeout(next, EVERY_MS).unref();
      });
  };
  next();
  return {
    list: () => alarms,
    runway: () => (wallet === undefined ? undefined : runwayOf(wallet)),
    latch: async (code, detail) => {
      await latch(o.store, { code, detail, sinceMs: o.clock() });
      alarms = merged(o.log, alarms, [...alarms, { code, detail, sinceMs: o.clock() }]);
    },
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await looking;
    },
  };
}

const isKept = (alarm: Alarm): boolean => alarm.code === "excluded-in-consensus" || alarm.code === "final-anchor-lost";

/** The new list, each code once and with its first time; what came and went is logged. */
function merged(log: Log, before: readonly Alarm[], now: readonly Alarm[]): readonly Alarm[] {
  const list = new Map<AlarmCode, Alarm>();
  for (const alarm of now) {
    const known = before.find(({ code }) => code === alarm.code) ?? list.get(alarm.code);
    if (known === undefined) log.error({ alarm: alarm.code }, `ALARM ${alarm.code}: ${alarm.detail}`);
    list.set(alarm.code, known === undefined ? alarm : { ...alarm, sinceMs: known.sinceMs });
  }
  for (const { code } of before) if (!list.has(code)) log.info({ alarm: code }, `alarm over: ${code}`);
  return [...list.values()].sort((a, b) => a.sinceMs - b.sinceMs);
}

/** Collects facts; remembers since when workers fail and when the chain moved. */
function createSenses(o: AlarmParts, aggregator: () => Aggregator | undefined): () => Promise<AlarmFacts> {
  const failingSince = new Map<WorkerName, number>();
  let head = -1;
  let chainMovedAtMs = o.clock();
  return async () => {
    const nowMs = o.clock();
    const seen = await o.settlement.head().catch(() => head);
    if (seen !== head) [head, chainMovedAtMs] = [seen, nowMs];
    const running = aggregator();
    const costSat = o.bitcoin.port.costSat();
    const anchor = await o.store.lastAnchor().catch(() => undefined);
    return {
      nowMs,
      feeCapped: running?.feeCapped() ?? false,
      wallet: running?.unfunded() ? EMPTY_WALLET : walletOf(anchor, costSat),
      failing: failingWorkers(running, failingSince, nowMs),
      storeFault: await storeFault(o.store, nowMs),
      diskFreeBytes: await freeBytes(o.home),
      chainMovedAtMs,
      bitcoin: o.bitcoin.status(),
    };
  };
}

/** Writes something small: whether the store takes it is known before somebody's submission is refused. */
async function storeFault(store: Store, nowMs: number): Promise<string | undefined> {
  try {
    await store.set("probe", new Date(nowMs).toISOString());
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function freeBytes(home: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(home);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

const EMPTY_WALLET = { changeSat: 0, costSat: 1 };

function walletOf(anchor: Anchor | undefined, costSat: number | undefined): AlarmFacts["wallet"] {
  return anchor === undefined || costSat === undefined ? undefined : { changeSat: anchor.change.valueSat, costSat };
}

function failingWorkers(
  aggregator: Aggregator | undefined,
  since: Map<WorkerName, number>,
  nowMs: number,
): AlarmFacts["failing"] {
  const failing = Object.entries(aggregator?.failing() ?? {}) as [WorkerName, string][];
  for (const worker of since.keys()) if (!failing.some(([name]) => name === worker)) since.delete(worker);
  return failing.map(([worker, message]) => {
    const sinceMs = since.get(worker) ?? nowMs;
    since.set(worker, sinceMs);
    return { worker, message, sinceMs };
  });
}
