/** The reader's metrics in Prometheus' text format. */
import { type EntryStatus, lagOf } from "./entry-status.ts";

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter";
  readonly value: (entry: EntryStatus) => bigint | number | undefined;
}

const FAMILIES: readonly Family[] = [
  { name: "cairn_reader_head", help: "Newest height of the chain.", type: "gauge", value: (e) => e.head },
  { name: "cairn_reader_cursor", help: "Last processed height.", type: "gauge", value: (e) => e.cursor },
  { name: "cairn_reader_lag_blocks", help: "Heights between head and cursor.", type: "gauge", value: lagOf },
  {
    name: "cairn_reader_submitted_total",
    help: "Acknowledged submissions.",
    type: "counter",
    value: (e) => e.submitted,
  },
  { name: "cairn_reader_errors_total", help: "Failed attempts.", type: "counter", value: (e) => e.errors },
  {
    name: "cairn_reader_stopped",
    help: "1 when the entry has stopped for good.",
    type: "gauge",
    value: (e) => (e.stopped === undefined ? 0 : 1),
  },
];

/** One sample per entry and family. */
export function renderMetrics(entries: readonly EntryStatus[]): string {
  return FAMILIES.map((family) => {
    const samples = entries.flatMap((entry) => {
      const value = family.value(entry);
      return value === undefined ? [] : [`${family.name}{chain="${entry.chain}"} ${value}`];
    });
    return [`# HELP ${family.name} ${family.help}`, `# TYPE ${family.name} ${family.type}`, ...samples, ""].join("\n");
  }).join("");
}
