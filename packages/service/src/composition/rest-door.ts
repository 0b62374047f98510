/** The REST door: what its handlers are given, and its listener. */
import { type Aggregator, resolvingVerifier, type SettlementPort } from "@cairn/aggregator";
import type { Accounts } from "../accounts/accounts.ts";
import { createAuthenticate } from "../accounts/authenticate.ts";
import { createClaimNames } from "../accounts/claim-names.ts";
import { createKeyUses } from "../accounts/key-uses.ts";
import { createKeyWatch } from "../accounts/key-watch.ts";
import { metered } from "../accounts/metered.ts";
import { createQuotas, type Quotas } from "../accounts/quotas.ts";
import type { AlarmWatch } from "../alarms/alarm-watch.ts";
import { ownSecret } from "../delivery/secret.ts";
import { createStreamCounts } from "../events/stream-counts.ts";
import { createMetrics } from "../metrics/metrics.ts";
import type { ServiceOptions } from "../options.ts";
import type { Payments } from "../payment/payments.ts";
import type { BitcoinSide } from "../ports/bitcoin.ts";
import { nativeKeys, nativeVerifier } from "../ports/verifier-port.ts";
import { type AddressRates, createAddressLimit } from "../rest/address-limit.ts";
import type { RestContext } from "../rest/context.ts";
import { createCursors } from "../rest/cursor.ts";
import { createGate } from "../rest/gate.ts";
import { createHandlers } from "../rest/handlers.ts";
import { nameListenError } from "../rest/listen-error.ts";
import { createPlaces, STREAM_LIMITS, WAIT_LIMITS } from "../rest/places.ts";
import { createRateLimit } from "../rest/rate-limit.ts";
import { createRestServer } from "../rest/server.ts";
import { createStoreTrouble } from "../rest/store-trouble.ts";
import type { SandboxControls } from "../sandbox/controls.ts";
import { createRequestLog } from "../sandbox/request-log.ts";
import type { Outbound } from "./outbound.ts";

const SUBMISSIONS_PER_MINUTE = 1_200;
const EVENT_HEARTBEAT_MS = 15_000;
const SUBMISSIONS_BURST = 300;
/** A revoked key's long polls and streams end within this. */
const KEY_WATCH_MS = 200;
const KEY_USES_MS = 60_000;
/** Of one address: failed attempts a minute, requests for access an hour, reads of public routes a minute. */
const ATTEMPTS = { perWindow: 60, burst: 120 };
const STRANGERS = {
  accessRequests: { perWindow: 5, burst: 5 },
  publicReads: { perWindow: 1_200, burst: 600 },
};
const TESTERS = {
  accessRequests: { perWindow: 120, burst: 120 },
  publicReads: { perWindow: 0, burst: 0 },
};

/** What stands behind the routes. */
export interface RestParts {
  readonly accounts: Accounts;
  readonly aggregator: Aggregator;
  readonly settlement: SettlementPort;
  readonly bitcoin: BitcoinSide;
  readonly outbound: Outbound;
  /** Only in a sandbox. */
  readonly controls: SandboxControls | undefined;
  readonly payments: Payments;
  readonly alarms: AlarmWatch;
  /** Ends long polls when the service closes. */
  readonly signal: AbortSignal;
}

/** An open door. */
export interface RestDoor {
  readonly url: string;
  close(): Promise<void>;
}

/** Listens. Rejects when the address cannot be had. */
export async function openRestDoor(o: ServiceOptions, parts: RestParts): Promise<RestDoor> {
  const today = await parts.aggregator.store.submissionsOfDay(Date.now());
  const quotas = createQuotas({ today, now: Date.now });
  const aggregator = { ...parts.aggregator, ...metered(parts.aggregator, quotas) };
  const context = restContext(o, { ...parts, aggregator });
  const { alarms, bitcoin } = parts;
  const metrics = createMetrics({ ...context, alarms, bitcoin: bitcoin.status });
  let url = "";
  const gate = openGate(o, context, quotas);
  const app = createRestServer({
    handlers: createHandlers(context, metrics, () => o.listen.publicUrl ?? url),
    gate: gate.gate,
    idempotency: parts.outbound.idempotency,
    requestLog: context.requestLog,
    environment: o.environment,
    behindProxy: o.listen.behindTlsProxy === true,
    withAliases: o.environment === "sandbox",
    metrics,
    storeTrouble: createStoreTrouble(() => performance.now()),
    log: o.log,
  });
  const { host, port } = o.listen;
  url = await app.listen({ host, port }).catch((error: unknown) => {
    throw nameListenError(error, { host, port });
  });
  const close = async (): Promise<void> => {
    await app.close();
    gate.close();
  };
  return { url, close };
}

/** Nobody is locked out of a sandbox; production bounds what strangers may ask. */
function addressRates(o: ServiceOptions): AddressRates {
  const own = o.environment === "production" ? STRANGERS : TESTERS;
  return { attempts: ATTEMPTS, ...own, ...o.addressRates };
}

/** The gate with what it follows, closed after the last request. */
function openGate(o: ServiceOptions, context: RestContext, quotas: Quotas) {
  const { accounts, submissionsPerMinute, submissionsBurst, signal } = context;
  const keyWatch = createKeyWatch({ accounts, now: Date.now, intervalMs: KEY_WATCH_MS });
  const keyUses = createKeyUses({
    accounts,
    now: Date.now,
    intervalMs: KEY_USES_MS,
    onFailure: (error) => o.log.warn({ error: String(error) }, "last uses of keys could not be written"),
  });
  const now = (): number => performance.now();
  const limits = { perMinute: submissionsPerMinute, burst: submissionsBurst };
  const gate = createGate({
    authenticate: createAuthenticate({ accounts, limits, now: Date.now }),
    rateLimit: createRateLimit({ name: "submissions", windowSeconds: 60, now }),
    addressLimit: createAddressLimit(addressRates(o), now),
    quotas,
    environment: o.environment,
    keyWatch,
    keyUses,
    closing: signal,
  });
  const close = (): void => {
    keyWatch.close();
    keyUses.close();
  };
  return { gate, close };
}

function restContext(o: ServiceOptions, parts: RestParts): RestContext {
  const { accounts, aggregator, settlement, bitcoin, outbound, payments, controls, alarms, signal } = parts;
  return {
    aggregator,
    alarms,
    accounts,
    nameClaim: createClaimNames(ownSecret(outbound.database, "claim-key")),
    verifier: resolvingVerifier(nativeVerifier, aggregator.store),
    keys: nativeKeys,
    settlement,
    anchoring: bitcoin.port,
    payments,
    cursors: createCursors(ownSecret(outbound.database, "cursor-key")),
    events: outbound.events,
    webhooks: outbound.webhooks,
    controls,
    requestLog: controls === undefined ? undefined : createRequestLog(),
    regtest: bitcoin.regtest,
    streamPlaces: createPlaces(STREAM_LIMITS),
    streamCounts: createStreamCounts(),
    waitPlaces: createPlaces(WAIT_LIMITS),
    heartbeatMs: o.eventHeartbeatMs ?? EVENT_HEARTBEAT_MS,
    environment: o.environment,
    version: o.version ?? "0.1.0",
    submissionsPerMinute: o.submissionsPerMinute ?? SUBMISSIONS_PER_MINUTE,
    submissionsBurst: o.submissionsBurst ?? SUBMISSIONS_BURST,
    anchorPeriodMs: o.policy.anchorPeriodMs,
    finalDepth: o.policy.finalDepth,
    signal,
    log: o.log,
  };
}
