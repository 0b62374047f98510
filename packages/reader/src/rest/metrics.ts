/** The reader's metrics in Prometheus' text format. */
import { type EntryStatus, lagOf } from "../worker/entry-status.ts";

/** An entry's status and what the store counts for it. */
export interface EntryFigures extends EntryStatus {
  readonly deadLetters: number;
}

interface Named {
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter";
}

interface Family extends Named {
  readonly value: (entry: EntryFigures) => bigint | number | undefined;
}

const DISSENTS: Named = {
  name: "cairn_reader_endpoint_dissents_total",
  help: "Answers by which an endpoint contradicted two others, or served another chain.",
  type: "counter",
};

const PER_ENTRY: readonly Family[] = [
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

function gauge(name: string, help: string, value: Family["value"]): Family {
  return { name: `cairn_reader_${name}`, help, type: "gauge", value };
}

function counter(name: string, help: string, value: Family["value"]): Family {
  return { name: `cairn_reader_${name}`, help, type: "counter", value };
}

/** One sample per entry and family, and the queue of pushes. */
export function renderMetrics(entries: readonly EntryFigures[], waiting: number): string {
  const families = PER_ENTRY.map((family) => {
    const samples = entries.flatMap((entry) => {
      const value = family.value(entry);
      return value === undefined ? [] : [`${family.name}{chain="${entry.chain}",kind="${entry.kind}"} ${value}`];
    });
    return render(family, samples);
  });
  const dissents = entries.flatMap(({ chain, kind, dissents }) =>
    [...dissents].map(([host, n]) => `${DISSENTS.name}{chain="${chain}",kind="${kind}",endpoint="${host}"} ${n}`),
  );
  const queue = gauge("queued", "Pushed blocks waiting.", () => undefined);
  return [...families, render(DISSENTS, dissents), render(queue, [`${queue.name} ${waiting}`])].join("");
}

function render(family: Named, samples: readonly string[]): string {
  const head = [`# HELP ${family.name} ${family.help}`, `# TYPE ${family.name} ${family.type}`];
  return [...head, ...samples, ""].join("\n");
}
