/** Status, health, metrics and the interface document. */
import { bodyLimits, openApi, type StatusResource } from "@cairn/api";
import type { Metrics } from "../metrics/metrics.ts";
import { coalesced } from "./coalesced.ts";
import type { RestContext, RestHandler } from "./context.ts";
import { ProblemError } from "./problem-error.ts";

const PROBE_TIMEOUT_MS = 2_000;
/** A probe writes to the disk and asks two nodes: anyone may have its answer, nobody more of it than this. */
const PROBES_KEPT_MS = 500;

/** The connectivity check: both chains are asked, an unreachable one is said so. */
export function status(context: RestContext): RestHandler {
  return async ({ caller }): Promise<StatusResource> => {
    const [chainHeight, bitcoinHeight] = await Promise.all([
      probe(() => context.settlement.head()),
      probe(() => context.anchoring.tip()),
    ]);
    return {
      status: "ok",
      environment: context.environment,
      version: context.version,
      time: new Date().toISOString(),
      chain: {
        evm_chain_id: Number(context.settlement.chainId),
        reachable: chainHeight !== undefined,
        ...(chainHeight === undefined ? {} : { height: chainHeight }),
        settler: context.settlement.submitter,
      },
      anchor: {
        network: context.anchoring.network,
        reachable: bitcoinHeight !== undefined,
        ...(bitcoinHeight === undefined ? {} : { height: bitcoinHeight }),
        period_ms: context.anchorPeriodMs,
        final_depth: context.finalDepth,
      },
      store: { writable: !context.alarms.list().some(({ code }) => code === "store-unavailable") },
      limits: {
        body_bytes: bodyLimits.bodyBytes,
        proof_data_bytes: bodyLimits.proofDataBytes,
        metadata_bytes: bodyLimits.metadataBytes,
        submissions_per_minute: caller.limits.perMinute,
        submissions_burst: caller.limits.burst,
        ...(caller.agreement === undefined ? {} : { submissions_per_day: caller.agreement.perDay }),
      },
    };
  };
}

/** Alive: answers as long as the process serves. */
export function healthz(): RestHandler {
  return async () => ({ status: "ok" });
}

/** Ready: the database takes writes, both chains answer, no worker is failing. However often it is asked, all are. */
export function readyz(context: RestContext): RestHandler {
  const probes = coalesced(PROBES_KEPT_MS, () =>
    Promise.all([
      probe(() => context.settlement.head()),
      probe(() => context.anchoring.tip()),
      probe(() => context.aggregator.store.set("probe", new Date().toISOString()).then(() => true)),
    ]),
  );
  return async () => {
    const [chain, bitcoin, database] = await probes();
    const failing = Object.keys(context.aggregator.failing());
    const alarms = context.alarms.list().map(({ code, sinceMs, detail }) => ({
      ...{ code, since: new Date(sinceMs).toISOString(), detail },
    }));
    const checks = { chain: chain !== undefined, bitcoin: bitcoin !== undefined, database: database === true, failing };
    if (checks.chain && checks.bitcoin && checks.database && failing.length === 0)
      return { status: "ready", environment: context.environment, ...checks, alarms };
    throw new ProblemError("unavailable", { extensions: { checks, alarms }, headers: { "retry-after": "5" } });
  };
}

/** Prometheus text. */
export function metricsText(metrics: Metrics): RestHandler {
  return async ({ reply }) => {
    reply.type("text/plain; version=0.0.4; charset=utf-8");
    return metrics.render();
  };
}

/** The OpenAPI document of what is served here, made once. */
export function openApiDocument({ environment }: RestContext): RestHandler {
  const text = JSON.stringify(openApi(environment));
  return async ({ reply }) => {
    reply.type("application/json; charset=utf-8");
    return text;
  };
}

async function probe<T>(ask: () => Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, PROBE_TIMEOUT_MS, undefined);
  });
  try {
    return await Promise.race([ask(), late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
