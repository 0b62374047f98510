/**
 * `npm run bench`: measures on this machine and appends to bench/results.jsonl. Machines are shared and noisy: compare
 * figures of one run with each other. `npm run bench -- NAME …` runs only the named ones.
 */
import { type SandboxProcess, startSandbox } from "../test/e2e/cairn-process.ts";
import { compare } from "./compare.bench.ts";
import { finalize } from "./finalize.bench.ts";
import { longChain, memory } from "./long-chain.bench.ts";
import { precompile } from "./precompile.bench.ts";
import { proofs, settleLatency } from "./proofs.bench.ts";
import { reads } from "./reads.bench.ts";
import { receipts } from "./receipts.bench.ts";
import { record } from "./results.ts";
import { storedSubmissions } from "./store.bench.ts";
import { transfers } from "./transfers.bench.ts";
import { verification } from "./verification.bench.ts";

/** Submissions per second, and for how many seconds. */
const LATENCY_RUNS = [
  [10, 15],
  [100, 15],
  [1000, 10],
] as const;

const BENCHES: Readonly<Record<string, () => Promise<void>>> = {
  finalize: async () => record("finalize", await finalize({ transfers: 5000, blocks: 5 })),
  reads: () => inSandbox(async ({ ready }) => record("reads", await reads(ready, 4))),
  transfers: () =>
    inSandbox(async ({ ready }) => {
      record("transfers", await transfers(ready, 10_000, 1));
      record("transfers", await transfers(ready, 10_000, 100));
    }),
  compare: () => compare({ seconds: 1.5, transfers: 3000, blocks: 10 }, record),
  "compare-light": () => {
    const only = ["eth_blockNumber", "eth_getBalance", "eth_call"];
    return compare({ seconds: 1.5, transfers: 0, blocks: 1, only }, record);
  },
  proofs: () =>
    inSandbox(async ({ ready }) => {
      record("proofs", await proofs(ready, { count: 3000, connections: 16, batch: 1 }));
      record("proofs", await proofs(ready, { count: 6000, connections: 64, batch: 1 }));
      record("proofs", await proofs(ready, { count: 10_000, connections: 4, batch: 500 }));
    }),
  latency: () =>
    inSandbox(async ({ ready }) => {
      for (const [perSecond, seconds] of LATENCY_RUNS) {
        record("latency", await settleLatency(ready, perSecond, seconds));
      }
    }),
  "long-chain": () => longChain(10_000, record),
  memory: () => memory({ blocks: 100_000, subscriptions: 10_000 }, record),
  verification: () => verification(record),
  precompile: () => precompile(record),
  receipts: () => inSandbox(async ({ ready }) => record("receipts", await receipts(ready, 50))),
  stored: async () => record("stored", await storedSubmissions(1_000_000)),
  "compare-traces": () => {
    const only = ["struct logs", "callTracer"].map((tracer) => `debug_traceTransaction ${tracer}`);
    return compare({ seconds: 1.5, transfers: 0, blocks: 1, only }, record);
  },
};

async function inSandbox(work: (sandbox: SandboxProcess) => Promise<void>): Promise<void> {
  const sandbox = await startSandbox();
  try {
    await work(sandbox);
  } finally {
    await sandbox.stop();
  }
}

const asked = process.argv.slice(2);
for (const [name, run] of Object.entries(BENCHES)) {
  if (asked.length === 0 || asked.includes(name)) await run();
}
