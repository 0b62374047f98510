/** The service's metrics in Prometheus' text format. Owns counters of requests; reads the rest when asked. */
import { type Aggregator, WORKER_NAMES } from "@cairn/aggregator";
import type { ChainViewStatus } from "@cairn/bitcoin-node";
import { ALARM_CODES } from "../alarms/alarm-rules.ts";
import type { AlarmWatch } from "../alarms/alarm-watch.ts";
import type { StreamCounts } from "../events/stream-counts.ts";
import { coalesced } from "../rest/coalesced.ts";
import type { Places } from "../rest/places.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import { METRICS, type MetricFamily, type MetricName } from "./catalogue.ts";

/** Counts requests and renders everything. */
export interface Metrics {
  requestDone(status: number): void;
  render(): Promise<string>;
}

/** What is read. */
export interface MetricSources {
  readonly aggregator: Aggregator;
  readonly alarms: Pick<AlarmWatch, "list" | "runway">;
  readonly bitcoin: () => ChainViewStatus | undefined;
  readonly streamPlaces: Pick<Places, "open">;
  readonly streamCounts: Pick<StreamCounts, "read">;
  readonly webhooks: Pick<Webhooks, "figures">;
}

/** Values of one family: with the value of its label, where it has one. */
type Samples = readonly (readonly [label: string, value: number])[];
type Values = Readonly<Partial<Record<MetricName, Samples>>>;

/** What is counted in a table is read at most this often. */
const REFRESH_MS = 5_000;

/** Makes the metrics of one service. */
export function createMetrics(o: MetricSources): Metrics {
  const requests = new Map<string, number>();
  const stored = coalesced(REFRESH_MS, async () => ({
    states: await o.aggregator.store.countByState(),
    newest: await newest(o.aggregator),
    webhooks: o.webhooks.figures(),
  }));
  return {
    requestDone: (status) => {
      const name = `${Math.floor(status / 100)}xx`;
      requests.set(name, (requests.get(name) ?? 0) + 1);
    },
    render: async () => {
      const { states, newest: progress, webhooks } = await stored();
      return text({
        cairn_http_requests_total: [...requests],
        cairn_submissions: Object.entries(states),
        ...progress,
        ...workers(o.aggregator),
        ...streams(o),
        cairn_webhooks: Object.entries(webhooks.endpoints),
        cairn_webhook_attempts_total: Object.entries(webhooks.attempts),
        cairn_webhook_queue: one(webhooks.waiting),
        cairn_webhook_dead_letters: one(webhooks.dead),
        ...operation(o.alarms, o.bitcoin()),
      });
    },
  };
}

async function newest({ store }: Aggregator): Promise<Values> {
  const [batch] = await store.batches({ limit: 1 });
  const anchor = await store.lastAnchor();
  return {
    cairn_batch_number: one(batch?.number ?? 0),
    cairn_anchor_sequence: one(anchor?.sequence ?? 0),
    cairn_anchor_change_sat: one(anchor?.change.valueSat ?? 0),
  };
}

function workers(aggregator: Aggregator): Values {
  const failing = aggregator.failing();
  return {
    cairn_intake_waiting: one(aggregator.waiting()),
    cairn_worker_failing: WORKER_NAMES.map((name) => [name, failing[name] === undefined ? 0 : 1]),
    cairn_final_anchors_lost_total: one(aggregator.finalAnchorsLost()),
    cairn_anchor_fee_capped: one(aggregator.feeCapped() ? 1 : 0),
  };
}

function streams({ streamPlaces, streamCounts }: Pick<MetricSources, "streamPlaces" | "streamCounts">): Values {
  const { sent, ended } = streamCounts.read();
  return {
    cairn_event_streams_open: one(streamPlaces.open()),
    cairn_event_stream_events_total: one(sent),
    cairn_event_streams_ended_total: Object.entries(ended),
  };
}

function operation(alarms: Pick<AlarmWatch, "list" | "runway">, bitcoin: ChainViewStatus | undefined): Values {
  const raised = new Set(alarms.list().map(({ code }) => code));
  const runway = alarms.runway();
  return {
    cairn_alarm: ALARM_CODES.map((code) => [code, raised.has(code) ? 1 : 0]),
    cairn_anchor_runway: runway === undefined ? [] : one(runway),
    cairn_bitcoin_tip_height: bitcoin === undefined ? [] : one(bitcoin.tip),
    cairn_bitcoin_tip_timestamp_seconds: bitcoin === undefined ? [] : one(bitcoin.tipTimeMs / 1000),
  };
}

const one = (value: number): Samples => [["", value]];

function text(values: Values): string {
  return Object.entries<MetricFamily>(METRICS)
    .map(([name, family]) => familyText(name, family, values[name as MetricName] ?? []))
    .join("");
}

function familyText(name: string, { type, help, label }: MetricFamily, samples: Samples): string {
  const lines = samples.map(([of, value]) => `${name}${label === undefined ? "" : `{${label}="${of}"}`} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
}
