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
  type SettlementPort,
  type Store,
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
  const parts = createParts(() => closing.abort());
  try {
    return await startParts(o, parts, closing.signal);
  } catch (error) {
    await parts.close();
    throw error;
  }
}

/** Closes what was opened, the last first, once. */
interface Parts {
  opened(close: () => Promise<void>): void;
  close(): Promise<void>;
}

function createParts(onClosing: () => void): Parts {
  const steps: (() => Promise<void>)[] = [];
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    onClosing();
    for (const step of steps.reverse()) await step();
  };
  return {
    opened: (close) => void steps.push(close),
    close: () => {
      closing ??= closeAll();
      return closing;
    },
  };
}

async function startParts(o: ServiceOptions, parts: Parts, signal: AbortSignal): Promise<RunningService> {
  const dir = join(o.home, "service");
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const store = openSqliteStore(join(dir, "service.db"));
  parts.opened(() => store.close());
  const bitcoin = await openBitcoin(o);
  parts.opened(() => bitcoin.close());
  const chainId = o.evmChainId ?? DEFAULT_CHAIN_ID;
  const settlement = createSettlementPort({ ...o, chainId, timeoutMs: RPC_TIMEOUT_MS, signal });
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  failed.catch(() => {});
  const aggregator = await startAggregator(o, { store, settlement, bitcoin, fail });
  parts.opened(() => aggregator.close());
  const { app, url } = await listen(o, restContext(o, { aggregator, settlement, bitcoin, signal }));
  parts.opened(() => app.close());
  o.log.info({ url, bitcoin: bitcoin.port.network, settler: settlement.submitter }, "service listening");
  const { regtest } = bitcoin;
  return {
    url,
    bitcoinRpcUrl: bitcoin.url,
    submit: (request) => aggregator.submit({ ...request, account: SANDBOX_ACCOUNT }),
    mineBitcoin: regtest === undefined ? undefined : (blocks) => regtest.mine(blocks),
    failed,
    close: parts.close,
  };
}

function startAggregator(
  o: ServiceOptions,
  parts: {
    readonly store: Store;
    readonly settlement: SettlementPort;
    readonly bitcoin: BitcoinSide;
    readonly fail: (error: Error) => void;
  },
): Promise<Aggregator> {
  return createAggregator({
    store: parts.store,
    verifier: nativeVerifier,
    settlement: parts.settlement,
    anchoring: parts.bitcoin.port,
    policy: { ...SANDBOX_POLICY, ...o.policy },
    info: { environment: o.environment, payment: "mock" },
    clock: Date.now,
    randomSalt: () => randomBytes(32),
    log: o.log,
    onFailure: (error) => {
      if (error instanceof ChainMismatchError || error instanceof NetworkMismatchError) parts.fail(error);
    },
  });
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
