/** The service's metrics in Prometheus' text format. Owns counters of requests; reads the rest when asked. */
import { type Aggregator, WORKER_NAMES } from "@cairn/aggregator";
import type { ChainViewStatus } from "@cairn/bitcoin-node";
import { ALARM_CODES } from "../alarms/alarm-rules.ts";
import type { AlarmWatch } from "../alarms/alarm-watch.ts";

/** Counts requests and renders everything. */
export interface Metrics {
  requestDone(status: number): void;
  render(): Promise<string>;
}

const STATES_REFRESH_MS = 5_000;

/** Makes the metrics of one service. */
export function createMetrics(o: {
  readonly aggregator: Aggregator;
  readonly alarms: Pick<AlarmWatch, "list" | "runway">;
  readonly bitcoin: () => ChainViewStatus | undefined;
}): Metrics {
  const { aggregator } = o;
  const requests = new Map<string, number>();
  let states: Readonly<Record<string, number>> = {};
  let statesAtMs = Number.NEGATIVE_INFINITY;
  const readStates = async (): Promise<Readonly<Record<string, number>>> => {
    if (performance.now() - statesAtMs > STATES_REFRESH_MS) {
      states = await aggregator.store.countByState();
      statesAtMs = performance.now();
    }
    return states;
  };
  return {
    requestDone: (status) => {
      const name = `${Math.floor(status / 100)}xx`;
      requests.set(name, (requests.get(name) ?? 0) + 1);
    },
    render: async () => {
      const failing = aggregator.failing();
      const workers = WORKER_NAMES.map((name): [string, number] => [
        `{worker="${name}"}`,
        failing[name] === undefined ? 0 : 1,
      ]);
      const [batch] = await aggregator.store.batches({ limit: 1 });
      const anchor = await aggregator.store.lastAnchor();
      return [
        family("cairn_http_requests_total", "counter", "Requests by status class.", labelled("status", [...requests])),
        family(
          "cairn_submissions",
          "gauge",
          "Submissions by state.",
          labelled("state", Object.entries(await readStates())),
        ),
        family("cairn_intake_waiting", "gauge", "Submissions that wait for verification.", [
          ["", aggregator.waiting()],
        ]),
        family("cairn_worker_failing", "gauge", "1 while a worker fails.", workers),
        family("cairn_batch_number", "gauge", "Newest batch.", [["", batch?.number ?? 0]]),
        family("cairn_anchor_sequence", "gauge", "Newest anchor.", [["", anchor?.sequence ?? 0]]),
        family("cairn_final_anchors_lost_total", "counter", "Final anchors whose Bitcoin block left the best chain.", [
          ["", aggregator.finalAnchorsLost()],
        ]),
        ...operatorFamilies(o.alarms, o.bitcoin()),
        family("cairn_anchor_fee_capped", "gauge", "1 while the anchor should offer more than its cap.", [
          ["", aggregator.feeCapped() ? 1 : 0],
        ]),
        family("cairn_anchor_change_sat", "gauge", "What the anchor chain still holds.", [
          ["", anchor?.change.valueSat ?? 0],
        ]),
      ].join("");
    },
  };
}

function operatorFamilies(
  alarms: Pick<AlarmWatch, "list" | "runway">,
  bitcoin: ChainViewStatus | undefined,
): readonly string[] {
  const raised = new Set(alarms.list().map(({ code }) => code));
  const runway = alarms.runway();
  return [
    family(
      "cairn_alarm",
      "gauge",
      "1 while an alarm holds.",
      ALARM_CODES.map((code) => [`{alarm="${code}"}`, raised.has(code) ? 1 : 0]),
    ),
    family(
      "cairn_anchor_runway",
      "gauge",
      "Anchors that the wallet pays for.",
      runway === undefined ? [] : [["", runway]],
    ),
    family(
      "cairn_bitcoin_tip_height",
      "gauge",
      "Tip of the Bitcoin node's best chain.",
      bitcoin === undefined ? [] : [["", bitcoin.tip]],
    ),
    family(
      "cairn_bitcoin_tip_timestamp_seconds",
      "gauge",
      "Time of the tip's header.",
      bitcoin === undefined ? [] : [["", bitcoin.tipTimeMs / 1000]],
    ),
  ];
}

function labelled(label: string, values: readonly (readonly [string, number])[]): [string, number][] {
  return values.map(([name, value]) => [`{${label}="${name}"}`, value]);
}

function family(name: string, type: string, help: string, samples: readonly (readonly [string, number])[]): string {
  const lines = samples.map(([labels, value]) => `${name}${labels} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
}
