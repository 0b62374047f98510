/** A service with very many stored submissions: time to start, memory, latency of reading, listing and submitting. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openThreadedStore } from "@cairn/aggregator";
import type { Ready } from "../packages/cli/src/sandbox/ready.ts";
import { startSandbox, temporaryHome } from "../test/e2e/cairn-process.ts";
import { call, submit } from "../test/e2e/service-client.ts";
import { round } from "./load.ts";

const ROWS = 1_000;
const SAMPLES = 200;

/** Fills a sandbox's store with `count` submissions (rejected ones: nothing is left to do for them) and measures. */
export async function storedSubmissions(count: number): Promise<object> {
  const home = temporaryHome();
  await (await startSandbox({ home })).stop();
  const filling = performance.now();
  await fill(join(home, "service/service.db"), count);
  const fill_seconds = round((performance.now() - filling) / 1000);
  const starting = performance.now();
  const sandbox = await startSandbox({ home });
  const start_seconds = round((performance.now() - starting) / 1000);
  try {
    const { ready } = sandbox;
    const read_ms = await sampled((i) => call(ready, `/v1/proofs/${idOf((i * 7919) % count)}`));
    const list_ms = await sampled(() => call(ready, "/v1/proofs?limit=20&chain_id=bench"));
    const submit_ms = await sampled((i) => submitOne(ready, i));
    const rss_mib = Math.round(residentBytes(sandbox.child.pid ?? 0) / 2 ** 20);
    return { stored: count, fill_seconds, start_seconds, rss_mib, read_ms, list_ms, submit_ms };
  } finally {
    await sandbox.stop();
  }
}

const idOf = (i: number) => `0x${createHash("sha256").update(`stored ${i}`).digest("hex")}` as const;

async function fill(file: string, count: number): Promise<void> {
  const store = await openThreadedStore(file);
  const content = { account: "sandbox", chainId: "bench", chainKey: "bench", source: "", proofData: "{}" };
  const absent = { externalId: undefined, metadata: undefined, reorgOf: undefined, evidence: undefined };
  for (let from = 0; from < count; from += ROWS) {
    const rows = Array.from({ length: Math.min(ROWS, count - from) }, (_, k) => ({
      ...{ ...content, ...absent },
      id: idOf(from + k),
      blockNumber: String(from + k),
    }));
    const outcomes = await store.insert(rows, Date.now());
    const seqs = outcomes.flatMap((o) => ("submission" in o ? [o.submission.seq] : []));
    await store.recordVerdicts(
      seqs.map((seq) => ({ ok: false, seq, code: "malformed", detail: "made for a measurement" })),
      Date.now(),
    );
  }
  await store.close();
}

async function submitOne(ready: Ready, i: number): Promise<void> {
  const { status } = await submit(ready, { proof_data: `{"n":${i}}`, chain_id: "bench-new" });
  if (status !== 202) throw new Error(`a submission was answered ${status}`);
}

async function sampled(work: (i: number) => Promise<unknown>): Promise<{ p50: number; p99: number }> {
  const times: number[] = [];
  for (let i = 0; i < SAMPLES; i += 1) {
    const started = performance.now();
    await work(i);
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => round(times[Math.floor((times.length - 1) * share)] ?? 0);
  return { p50: at(0.5), p99: at(0.99) };
}

/** Resident memory of a process; Linux only, 0 elsewhere. */
export function residentBytes(pid: number): number {
  try {
    const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(line ?? 0) * 1024;
  } catch {
    return 0;
  }
}
