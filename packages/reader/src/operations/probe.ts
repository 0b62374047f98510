/**
 * Mode TEST: each endpoint of each entry once, as a worker would use it; nothing is submitted, no cursor moves. Owns
 * what is tried and the verdict; not how it is shown.
 */
import { EntryStopped, identityDifferences } from "../block-source.ts";
import { type CallLimits, createCallLimits, READER_LIMITS } from "../call-limits.ts";
import type { Entry } from "../config/entry.ts";
import { lower } from "../foreign-block.ts";
import type { Found } from "../items.ts";
import type { EventReading, OpenAdapter, Reading } from "../worker/reading.ts";
import { endpointsOf, openReading } from "../worker/reading.ts";

/** What one endpoint of one entry gave. */
export interface ProbeRow {
  readonly entry: string;
  readonly kind: Entry["kind"];
  /** Host of the endpoint; `all` for the comparison of several. */
  readonly endpoint: string;
  readonly head: bigint | undefined;
  /** The height that was read. */
  readonly height: bigint | undefined;
  /** The block's hash, or the root of the last event found. */
  readonly value: string | undefined;
  /** Blocks between head and what may be taken. */
  readonly finalityLag: bigint | undefined;
  readonly latencyMs: number;
  readonly ok: boolean;
  /** `ok`, or why not. */
  readonly verdict: string;
}

/** Entries to try. */
export interface ProbeOptions {
  readonly entries: readonly Entry[];
  readonly openAdapter: OpenAdapter;
  /** Told of each row as it comes. */
  readonly onRow?: (row: ProbeRow) => void;
  readonly signal: AbortSignal;
}

/** Ranges of logs looked through for the last event. */
const WINDOWS_BACK = 5;

/** Tries every entry; resolves with a row per endpoint, in the list's order. */
export async function probeEntries(options: ProbeOptions): Promise<readonly ProbeRow[]> {
  const limits = createCallLimits(READER_LIMITS);
  const rows = await Promise.all(options.entries.map((entry) => probeEntry(entry, { ...options, limits })));
  return rows.flat();
}

type Probing = ProbeOptions & { readonly limits: CallLimits };

async function probeEntry(entry: Entry, probing: Probing): Promise<readonly ProbeRow[]> {
  const ownModule = entry.kind === "sdk" && "module" in entry.adapter;
  const parts = ownModule ? [entry] : entry.endpoints.map((url) => ({ ...entry, endpoints: [url] }));
  const rows = await Promise.all(parts.map((part) => probeOne(part, probing)));
  if (rows.length < 2 || rows.some((row) => !row.ok)) return rows;
  return [...rows, await compare(entry, rows, probing)];
}

type Findings = Pick<ProbeRow, "head" | "height" | "value" | "finalityLag"> & { readonly note?: string };

async function probeOne(entry: Entry, probing: Probing): Promise<ProbeRow> {
  const { openAdapter, limits, signal } = probing;
  const host = new URL(entry.endpoints[0] ?? "http://none").host;
  return timed(entry, host, probing, async () => {
    const reading = await openReading(entry, endpointsOf(entry, limits), openAdapter);
    const { source } = reading;
    const wanted = { chainId: String(entry.chainId), ...entry.expected };
    const differences = identityDifferences(wanted, await source.identity(signal));
    if (differences.length > 0) throw new EntryStopped(`another chain: ${differences.join(", ")}`);
    const head = await source.head(signal);
    const takeable = await source.takeable(head, signal);
    if (takeable < 0n) throw new EntryStopped("nothing may be taken under the finality rule yet");
    const found = await readLast(reading, takeable, signal);
    return { head, finalityLag: head - takeable, ...found };
  });
}

async function timed(
  entry: Entry,
  endpoint: string,
  { onRow }: Probing,
  work: () => Promise<Findings>,
): Promise<ProbeRow> {
  const started = performance.now();
  const common = { entry: entry.name, kind: entry.kind, endpoint };
  const none = { head: undefined, height: undefined, value: undefined, finalityLag: undefined };
  const result = await work().then(
    ({ note, ...findings }) => ({ ...findings, ok: true, verdict: note ?? "ok" }),
    (error: unknown) => ({ ok: false, verdict: error instanceof Error ? error.message : "unknown error" }),
  );
  const row = { ...common, ...none, ...result, latencyMs: Math.round(performance.now() - started) };
  onRow?.(row);
  return row;
}

async function readLast(
  reading: Reading,
  takeable: bigint,
  signal: AbortSignal,
): Promise<Pick<Findings, "height" | "value" | "note">> {
  if (reading.kind === "events") return lastEvent(reading, takeable, signal);
  for (let height = takeable; height >= 0n && takeable - height < 64n; height -= 1n) {
    const block = await reading.source.block(height, signal);
    if (block !== undefined) return { height, value: block.hash };
  }
  throw new EntryStopped("the newest heights were all skipped by the chain");
}

async function lastEvent(reading: EventReading, takeable: bigint, signal: AbortSignal) {
  let to = takeable;
  let blocks = 0n;
  for (let window = 0; window < WINDOWS_BACK && to >= 0n; ) {
    const range = BigInt(reading.events.range());
    const from = to - range + 1n > 0n ? to - range + 1n : 0n;
    const found = await reading.events.read(from, to, signal);
    if (found === "narrower") continue;
    const last = found.findLast(isRoot);
    const wrong = found.find((one) => one.kind === "undecodable");
    if (wrong !== undefined && wrong.kind === "undecodable")
      throw new EntryStopped(`a log is not the event: ${wrong.detail}`);
    if (last?.kind === "item") return { height: last.height, value: last.value, ...doubtOf(last.value) };
    blocks += to - from + 1n;
    to = from - 1n;
    window += 1;
  }
  return { height: takeable, value: undefined, note: `ok, no event in the last ${blocks} blocks` };
}

/** A word of a hash has no sixteen zeros in front; a number has. Where arguments are swapped nothing else shows it. */
function doubtOf(root: string): Pick<Findings, "note"> {
  if (!/^0x0{32}/.test(root)) return {};
  return { note: "ok, but the root looks like a number: check the event's arguments and which are indexed" };
}

function isRoot(found: Found): boolean {
  return found.kind === "item" && !found.value.startsWith("proof:");
}

/** All endpoints on the lowest height that each of them has. */
async function compare(entry: Entry, rows: readonly ProbeRow[], probing: Probing): Promise<ProbeRow> {
  const { openAdapter, limits, signal } = probing;
  return timed(entry, "all", probing, async () => {
    const strict: Entry = { ...entry, crossCheck: "required" };
    const { source } = await openReading(strict, endpointsOf(strict, limits), openAdapter);
    const heights = rows.flatMap((row) => (row.head === undefined ? [] : [row.head - (row.finalityLag ?? 0n)]));
    const height = heights.reduce(lower);
    const block = await source.block(height, signal);
    const [head, finalityLag] = [undefined, undefined];
    return { head, finalityLag, height, value: block?.hash, note: "ok, the endpoints agree" };
  });
}
