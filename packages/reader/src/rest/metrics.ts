/** The reader's metrics in Prometheus' text format. */
import { type EntryStatus, lagOf } from "../worker/entry-status.ts";
import { counter, type Family, gauge, type Named, renderFamily, renderSamples, sample } from "./metric-text.ts";

/** An entry's status and what the store counts for it. */
export interface EntryFigures extends EntryStatus {
  readonly deadLetters: number;
}

const DISSENTS: Named = {
  name: "cairn_reader_endpoint_dissents_total",
  help: "Answers by which an endpoint contradicted two others, or served another chain.",
  type: "counter",
};

const PER_ENTRY: readonly Family<EntryFigures>[] = [
  gauge("head", "Newest height of the chain.", (e) => e.head),
  gauge("takeable", "Newest height that may be taken under the finality rule.", (e) => e.takeable),
  gauge("cursor", "Last processed height.", (e) => e.cursor),
  gauge("lag_blocks", "Heights between head and cursor.", lagOf),
  counter("submitted_total", "Acknowledged submissions.", (e) => e.submitted),
  counter("errors_total", "Failed attempts.", (e) => e.errors),
  counter("reorgs_total", "Reorganisations followed.", (e) => e.reorgs),
  gauge("dead_letters", "Dead letters not replayed.", (e) => e.deadLetters),
  gauge("log_range_blocks", "Blocks of one eth_getLogs.", (e) => e.logRange),
  gauge("last_success_seconds", "When something last went well, in seconds since 1970.", (e) =>
    e.lastSuccessMs === undefined ? undefined : e.lastSuccessMs / 1000,
  ),
  gauge("stopped", "1 when the entry has stopped for good.", (e) => (e.stopped === undefined ? 0 : 1)),
];

/** One sample per entry and family, and the queue of pushes. */
export function renderMetrics(entries: readonly EntryFigures[], waiting: number): string {
  const labels = ({ chain, kind }: EntryFigures) => ({ chain, kind });
  const families = PER_ENTRY.map((family) => renderFamily(family, entries, labels));
  const dissents = entries.flatMap((entry) =>
    [...entry.dissents].map(([endpoint, n]) => sample(DISSENTS.name, { ...labels(entry), endpoint }, n)),
  );
  const queue = gauge("queued", "Pushed blocks waiting.", () => undefined);
  const queued = renderSamples(queue, [sample(queue.name, {}, waiting)]);
  return [...families, renderSamples(DISSENTS, dissents), queued].join("");
}
