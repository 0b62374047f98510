/** The aggregator over its ports: what it is made of, and which failures end the service. */
import { randomBytes } from "node:crypto";
import {
  type Aggregator,
  ChainMismatchError,
  createAggregator,
  NetworkMismatchError,
  type PaymentParts,
  SANDBOX_POLICY,
  type SettlementPort,
  type Store,
  StoreLostError,
} from "@cairn/aggregator";
import type { Accounts } from "../accounts/accounts.ts";
import type { AlarmWatch } from "../alarms/alarm-watch.ts";
import { ProductionError } from "../environment/production-rules.ts";
import type { ServiceOptions } from "../options.ts";
import type { BitcoinSide } from "../ports/bitcoin.ts";
import { nativeVerifier } from "../ports/verifier-port.ts";
import { hurried, type SandboxControls, slowable } from "../sandbox/controls.ts";

/** Failures after which the service cannot go on. */
const FINAL = [ChainMismatchError, NetworkMismatchError, ProductionError, StoreLostError];

/** What the aggregator stands on. */
export interface AggregationParts {
  readonly store: Store;
  readonly accounts: Accounts;
  readonly settlement: SettlementPort;
  readonly bitcoin: BitcoinSide;
  /** Undefined: nobody pays. */
  readonly payments: PaymentParts | undefined;
  /** Only in a sandbox. */
  readonly controls: SandboxControls | undefined;
  /** Called when the service cannot go on. */
  readonly fail: (error: Error) => void;
  readonly alarms: AlarmWatch;
}

/** Starts intake and workers. */
export function startAggregator(o: ServiceOptions, parts: AggregationParts): Promise<Aggregator> {
  const { controls } = parts;
  const policy = { ...SANDBOX_POLICY, ...o.policy };
  return createAggregator({
    store: parts.store,
    verifier: controls === undefined ? nativeVerifier : slowable(nativeVerifier, controls.faults),
    profileOf: parts.accounts.profileOf,
    settlement: parts.settlement,
    anchoring: parts.bitcoin.port,
    policy: controls === undefined ? policy : hurried(policy, controls),
    info: { environment: o.environment, payment: o.payment ?? "mock" },
    clock: Date.now,
    randomSalt: () => randomBytes(32),
    log: o.log,
    ...(parts.payments === undefined ? {} : { payments: parts.payments }),
    onAlarm: parts.alarms.latch,
    onFailure: (error) => {
      const isFinal = FINAL.some((kind) => error instanceof kind);
      if (isFinal && error instanceof Error) parts.fail(error);
    },
  });
}
