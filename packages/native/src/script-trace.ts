/**
 * Owns the trace that a script makes: of one transaction, or of a block, whose transactions each have their entry. A
 * process that had to be ended costs the transaction in progress its trace, not the ones after it: another process goes
 * on behind it. All processes of one trace share one bound of time.
 */
import type { AddonChain } from "./addon.ts";
import type { TraceOutcome } from "./boundary/trace.ts";
import { type RunEnd, runInProcess, type ScriptPlan } from "./script-process.ts";

const TOTAL_MS = 120_000;
/** As much text as the native core makes of a block. */
const MOST_CHARACTERS = 256 * 1024 * 1024;
const TIMEOUT = "execution timeout";
const TOO_LARGE = "trace too large: use a limit, disable parts or choose another tracer";

type Runner = (from: number, onEntry: (json: string) => void) => Promise<RunEnd>;

const failed = (reason: string): TraceOutcome => ({ ok: false, code: "failed", reason });

async function traceSingle(run: Runner): Promise<TraceOutcome> {
  const end = await run(0, () => {});
  if (end.kind === "done") return { ok: true, json: end.json };
  return end.kind === "failed" ? end.outcome : failed(end.reason);
}

async function traceBlock(run: Runner, hashes: readonly string[], deadline: number): Promise<TraceOutcome> {
  const entries: string[] = [];
  let characters = 0;
  const push = (json: string): void => {
    characters += json.length;
    if (characters <= MOST_CHARACTERS) entries.push(json);
  };
  const pushError = (error: string): void => push(JSON.stringify({ txHash: hashes[entries.length], error }));
  while (entries.length < hashes.length) {
    if (characters > MOST_CHARACTERS) return failed(TOO_LARGE);
    if (performance.now() > deadline) {
      pushError(TIMEOUT);
      continue;
    }
    const end = await run(entries.length, push);
    if (end.kind === "failed") return end.outcome;
    if (characters > MOST_CHARACTERS) return failed(TOO_LARGE);
    if (end.kind === "ended" && entries.length < hashes.length) pushError(end.reason);
    else if (end.kind === "done" && entries.length < hashes.length) return failed("tracing failed");
  }
  return { ok: true, json: `[${entries.join(",")}]` };
}

/** Makes the trace of a plan on the state of `chain`; `addon` is the path of the addon. */
export function traceByScript(addon: string, chain: AddonChain, script: ScriptPlan): Promise<TraceOutcome> {
  const deadline = performance.now() + TOTAL_MS;
  const run: Runner = (from, onEntry) => runInProcess(addon, chain, script, { from, deadline, onEntry });
  return script.hashes === undefined ? traceSingle(run) : traceBlock(run, script.hashes, deadline);
}
