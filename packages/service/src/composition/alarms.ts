/** The alarms' watch with the limits an operator chose. */
import type { Aggregator } from "@cairn/aggregator";
import type { AlarmPolicy } from "../alarms/alarm-rules.ts";
import { type AlarmParts, type AlarmWatch, watchAlarms } from "../alarms/alarm-watch.ts";
import type { ServiceOptions } from "../options.ts";
import { DEFAULT_FEES } from "../ports/bitcoin.ts";

const CHAIN_STALLED_MS = 60_000;
const TIP_AGE_MS = 7_200_000;
const WORKER_STALLED_MS = 30_000;
const DISK_FREE_BYTES = 256 * 1024 * 1024;

/** Starts watching; the aggregator is asked once it is there. */
export function startAlarms(
  o: ServiceOptions,
  parts: Pick<AlarmParts, "store" | "settlement" | "bitcoin">,
  aggregator: () => Aggregator | undefined,
): AlarmWatch {
  const policy: AlarmPolicy = {
    runway: (o.fees ?? DEFAULT_FEES).runway,
    chainStalledMs: CHAIN_STALLED_MS,
    tipAgeMs: TIP_AGE_MS,
    workerStalledMs: WORKER_STALLED_MS,
    diskFreeBytes: DISK_FREE_BYTES,
    ...o.alarms,
  };
  return watchAlarms({ ...parts, home: o.home, policy, clock: Date.now, log: o.log }, aggregator);
}
