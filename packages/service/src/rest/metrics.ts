/** The service's metrics in Prometheus' text format. Owns counters of requests; reads the rest when asked. */
import { type Aggregator, WORKER_NAMES } from "@cairn/aggregator";

/** Counts requests and renders everything. */
export interface Metrics {
  requestDone(status: number): void;
  render(): Promise<string>;
}

const STATES_REFRESH_MS = 5_000;

/** Makes the metrics of one service. */
export function createMetrics(aggregator: Aggregator): Metrics {
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

function labelled(label: string, values: readonly (readonly [string, number])[]): [string, number][] {
  return values.map(([name, value]) => [`{${label}="${name}"}`, value]);
}

function family(name: string, type: string, help: string, samples: readonly (readonly [string, number])[]): string {
  const lines = samples.map(([labels, value]) => `${name}${labels} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
}
