/** The table that mode TEST prints. */
import type { ProbeRow } from "@cairn/reader";

const COLUMNS = ["entry", "endpoint", "head", "height", "hash or root", "lag", "ms", "verdict"] as const;

/** One line per row, columns aligned; the verdict last, since it may be long. */
export function renderProbeTable(rows: readonly ProbeRow[]): string {
  const cells = rows.map((row) => [
    row.kind === "rpc" ? row.entry : `${row.entry} (${row.kind})`,
    row.endpoint,
    text(row.head),
    text(row.height),
    shortened(row.value),
    text(row.finalityLag),
    text(row.latencyMs),
    row.ok ? row.verdict : `FAILED: ${row.verdict}`,
  ]);
  const lines = [[...COLUMNS], ...cells];
  const widths = COLUMNS.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  const render = (line: readonly string[]) =>
    line
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd();
  return `${lines.map(render).join("\n")}\n`;
}

/** The rows as JSON: heights as decimal text. */
export function probeJson(rows: readonly ProbeRow[]): string {
  return `${JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? value.toString() : value))}\n`;
}

function text(value: bigint | number | undefined): string {
  return value === undefined ? "-" : String(value);
}

function shortened(value: string | undefined): string {
  if (value === undefined) return "-";
  return value.length <= 20 ? value : `${value.slice(0, 12)}…${value.slice(-6)}`;
}
