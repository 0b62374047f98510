/**
 * Composition root of the proof service: store, verifier, chain and Bitcoin ports, aggregator, REST. Owns their order
 * of start and stop; no rule. Starts whether or not the node answers yet.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  type Aggregator,
  ChainMismatchError,
  createAggregator,
  NetworkMismatchError,
  openSqliteStore,
  SANDBOX_POLICY,
  type SubmissionRequest,
  type SubmitOutcome,
} from "@cairn/aggregator";
import type { FastifyInstance } from "fastify";
import type { ServiceOptions } from "./options.ts";
import { type BitcoinSide, openBitcoin } from "./ports/bitcoin.ts";
import { createSettlementPort } from "./ports/settlement-port.ts";
import { nativeVerifier } from "./ports/verifier-port.ts";
import { createBearer } from "./rest/bearer.ts";
import type { RestContext } from "./rest/context.ts";
import { createHandlers } from "./rest/handlers.ts";
import { createMetrics } from "./rest/metrics.ts";
import { createRateLimit } from "./rest/rate-limit.ts";
import { createRestServer } from "./rest/server.ts";

/** A running service. */
export interface RunningService {
  readonly url: string;
  /** With credentials. */
  readonly bitcoinRpcUrl: string;
  /** The same door without HTTP and without its rate limit, for a reader in the same process. */
  submit(request: Omit<SubmissionRequest, "account">): Promise<SubmitOutcome>;
  /** Mines now; undefined unless the Bitcoin node is the embedded one. */
  readonly mineBitcoin: ((blocks: number) => Promise<readonly string[]>) | undefined;
  /** Rejects when the service cannot go on: the store belongs to another chain or network. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

/** The one account of a sandbox. */
const SANDBOX_ACCOUNT = "sandbox";
const DEFAULT_CHAIN_ID = 358587n;
const SUBMISSIONS_PER_MINUTE = 1_200;
const SUBMISSIONS_BURST = 300;
const RPC_TIMEOUT_MS = 10_000;

/** Starts the service and listens. Rejects when the store or the port cannot be opened. */
export async function startService(o: ServiceOptions): Promise<RunningService> {
  const closing = new AbortController();
  const dir = join(o.home, "service");
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const store = openSqliteStore(join(dir, "service.db"));
  const undo: (() => Promise<void>)[] = [() => store.close()];
  let unwinding: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    closing.abort();
    for (const step of undo.reverse()) await step();
  };
  const unwind = (): Promise<void> => {
    unwinding ??= closeAll();
    return unwinding;
  };
  try {
    const bitcoin = await openBitcoin(o);
    undo.push(() => bitcoin.close());
    const settlement = createSettlementPort({
      nodeRpcUrl: o.nodeRpcUrl,
      consensusRpcUrl: o.consensusRpcUrl,
      settlerKey: o.settlerKey,
      chainId: o.evmChainId ?? DEFAULT_CHAIN_ID,
      timeoutMs: RPC_TIMEOUT_MS,
      signal: closing.signal,
    });
    const { promise: failed, reject: fail } = Promise.withResolvers<never>();
    failed.catch(() => {});
    const aggregator = await createAggregator({
      store,
      verifier: nativeVerifier,
      settlement,
      anchoring: bitcoin.port,
      policy: { ...SANDBOX_POLICY, ...o.policy },
      info: { environment: o.environment, payment: "mock" },
      clock: Date.now,
      randomSalt: () => randomBytes(32),
      log: o.log,
      onFailure: (error) => {
        if (error instanceof ChainMismatchError || error instanceof NetworkMismatchError) fail(error);
      },
    });
    undo.push(() => aggregator.close());
    const context = restContext(o, { aggregator, settlement, bitcoin, signal: closing.signal });
    const { app, url } = await listen(o, context);
    undo.push(() => app.close());
    o.log.info({ url, bitcoin: bitcoin.port.network, settler: settlement.submitter }, "service listening");
    return {
      url,
      bitcoinRpcUrl: bitcoin.url,
      submit: (request) => aggregator.submit({ ...request, account: SANDBOX_ACCOUNT }),
      mineBitcoin: bitcoin.regtest === undefined ? undefined : (blocks) => minedBy(bitcoin, blocks),
      failed,
      close: unwind,
    };
  } catch (error) {
    await unwind();
    throw error;
  }
}

async function minedBy(bitcoin: BitcoinSide, blocks: number): Promise<readonly string[]> {
  return (await bitcoin.regtest?.mine(blocks)) ?? [];
}

function restContext(
  o: ServiceOptions,
  parts: {
    readonly aggregator: Aggregator;
    readonly settlement: RestContext["settlement"];
    readonly bitcoin: BitcoinSide;
    readonly signal: AbortSignal;
  },
): RestContext {
  return {
    aggregator: parts.aggregator,
    verifier: nativeVerifier,
    settlement: parts.settlement,
    anchoring: parts.bitcoin.port,
    environment: o.environment,
    version: o.version ?? "0.1.0",
    submissionsPerMinute: o.submissionsPerMinute ?? SUBMISSIONS_PER_MINUTE,
    submissionsBurst: SUBMISSIONS_BURST,
    anchorPeriodMs: o.policy.anchorPeriodMs,
    finalDepth: o.policy.finalDepth,
    signal: parts.signal,
    log: o.log,
  };
}

async function listen(o: ServiceOptions, context: RestContext): Promise<{ app: FastifyInstance; url: string }> {
  const metrics = createMetrics(context.aggregator);
  let url = "";
  const app = createRestServer({
    handlers: createHandlers(context, metrics, () => url),
    authenticate: createBearer([{ token: o.token, account: SANDBOX_ACCOUNT }]),
    rateLimit: createRateLimit({
      perMinute: context.submissionsPerMinute,
      burst: context.submissionsBurst,
      now: () => performance.now(),
    }),
    withAliases: o.environment === "sandbox",
    metrics,
    log: o.log,
  });
  url = await app.listen({ host: o.listen.host, port: o.listen.port });
  return { app, url };
}
