/**
 * Every metric of the service: name, kind, labels, meaning. What is served and its reference page come from this list.
 */

/** One family of samples. */
export interface MetricFamily {
  readonly type: "counter" | "gauge";
  readonly help: string;
  /** Values of its label, where it has one. */
  readonly label?: string;
}

/** The families by name, in the order they are served. Counters begin at 0 with the process. */
export const METRICS = {
  cairn_http_requests_total: { type: "counter", label: "status", help: "Requests by status class." },
  cairn_submissions: { type: "gauge", label: "state", help: "Submissions by state." },
  cairn_intake_waiting: { type: "gauge", help: "Submissions that wait for verification." },
  cairn_worker_failing: { type: "gauge", label: "worker", help: "1 while a worker fails." },
  cairn_batch_number: { type: "gauge", help: "Newest batch." },
  cairn_anchor_sequence: { type: "gauge", help: "Newest anchor." },
  cairn_final_anchors_lost_total: {
    type: "counter",
    help: "Final anchors whose Bitcoin block left the best chain.",
  },
  cairn_event_streams_open: { type: "gauge", help: "Event streams that are open." },
  cairn_event_stream_events_total: { type: "counter", help: "Events sent on event streams." },
  cairn_event_streams_ended_total: {
    type: "counter",
    label: "reason",
    help: "Event streams that ended: closed by either side, cut because their key ended, or because nothing was taken.",
  },
  cairn_webhooks: { type: "gauge", label: "state", help: "Webhooks by state." },
  cairn_webhook_attempts_total: {
    type: "counter",
    label: "outcome",
    help: "Attempts at deliveries: delivered, failed, or gone where the receiver wants no more.",
  },
  cairn_webhook_queue: { type: "gauge", help: "Deliveries that wait, also those to be tried again." },
  cairn_webhook_dead_letters: { type: "gauge", help: "Deliveries that were given up and can be replayed." },
  cairn_alarm: { type: "gauge", label: "alarm", help: "1 while an alarm holds." },
  cairn_anchor_runway: { type: "gauge", help: "Anchors that the wallet pays for." },
  cairn_bitcoin_tip_height: { type: "gauge", help: "Tip of the Bitcoin node's best chain." },
  cairn_bitcoin_tip_timestamp_seconds: { type: "gauge", help: "Time of the tip's header." },
  cairn_anchor_fee_capped: { type: "gauge", help: "1 while the anchor should offer more than its cap." },
  cairn_anchor_change_sat: { type: "gauge", help: "What the anchor chain still holds." },
} as const satisfies Record<string, MetricFamily>;

/** Name of a family. */
export type MetricName = keyof typeof METRICS;

/** The reference page `docs/reference/metrics.md`; deterministic, ends with a newline. */
export function renderMetricsReference(): string {
  return [
    "# Metrics of the service",
    "",
    "`GET /metrics` in Prometheus' text format, without a token. Counters begin at 0 when the service starts; a family",
    "without a value now (no wallet, no Bitcoin node yet) has no samples.",
    "",
    "| metric | kind | label | meaning |",
    "|---|---|---|---|",
    ...Object.entries<MetricFamily>(METRICS).map(
      ([name, { type, label, help }]) =>
        `| \`${name}\` | ${type} | ${label === undefined ? "" : `\`${label}\``} | ${help} |`,
    ),
    "",
  ].join("\n");
}
