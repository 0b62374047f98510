/**
 * Composition root of the proof service: stores, chain and Bitcoin ports, aggregator, REST. Owns their order of start
 * and stop; each part is made in `composition/`. Starts whether or not the node answers yet.
 */
import type { Aggregator, SubmissionRequest, SubmitOutcome } from "@cairn/aggregator";
import { startAggregator } from "./composition/aggregation.ts";
import { startAlarms } from "./composition/alarms.ts";
import { type CloseStack, createCloseStack } from "./composition/close-stack.ts";
import { gateChain, refuseForeignDefaults, requireOwnStore } from "./composition/environment.ts";
import { lockHome } from "./composition/home-lock.ts";
import { startOutbound } from "./composition/outbound.ts";
import { openPayments } from "./composition/payment.ts";
import { openRestDoor } from "./composition/rest-door.ts";
import { openStores, SANDBOX_ACCOUNT } from "./composition/stores.ts";
import type { ServiceOptions } from "./options.ts";
import { openBitcoin } from "./ports/bitcoin.ts";
import { createSettlementPort } from "./ports/settlement-port.ts";
import { createSandboxControls } from "./sandbox/controls.ts";
import { switchableBitcoin, switchableChain } from "./sandbox/switchable-ports.ts";

/** A running service. */
export interface RunningService {
  readonly url: string;
  /** With credentials. */
  readonly bitcoinRpcUrl: string;
  /** Pays anchors: what an operator funds. */
  readonly anchorAddress: string;
  /** The same door without HTTP and without its rate limit, for a reader in the same process. */
  submit(request: Omit<SubmissionRequest, "account">): Promise<SubmitOutcome>;
  /** Mines now; undefined unless the Bitcoin node is the embedded one. */
  readonly mineBitcoin: ((blocks: number) => Promise<readonly string[]>) | undefined;
  /** Rejects when the service cannot go on: the store belongs to another chain or network. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

const DEFAULT_CHAIN_ID = 358587n;
const RPC_TIMEOUT_MS = 10_000;

/**
 * Starts the service and listens. Rejects when store or port cannot be opened; `ProductionError`: sandbox defaults;
 * `HomeInUseError`: another service runs on the home.
 */
export async function startService(o: ServiceOptions): Promise<RunningService> {
  await refuseForeignDefaults(o);
  const closing = new AbortController();
  const stack = createCloseStack(() => closing.abort());
  try {
    const lock = await lockHome(o.home);
    stack.opened(() => lock.release());
    return await startParts(o, stack, closing.signal);
  } catch (error) {
    await stack.close();
    throw error;
  }
}

async function startParts(o: ServiceOptions, stack: CloseStack, signal: AbortSignal): Promise<RunningService> {
  const { store, accounts, delivery } = await openStores(o, stack.opened);
  await requireOwnStore(o, store);
  const controls = o.environment === "sandbox" ? createSandboxControls() : undefined;
  const opened = await openBitcoin({ ...o, signal });
  stack.opened(() => opened.close());
  const bitcoin = controls === undefined ? opened : switchableBitcoin(opened, controls.faults);
  const chainId = o.evmChainId ?? DEFAULT_CHAIN_ID;
  const toChain = createSettlementPort({ ...o, chainId, timeoutMs: RPC_TIMEOUT_MS, signal });
  const gated = await gateChain(o, toChain, signal);
  const settlement = controls === undefined ? gated : switchableChain(gated, controls.faults);
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  failed.catch(() => {});
  const payments = openPayments(o, { store, accounts, delivery, settlement, signal });
  stack.opened(() => payments.mock?.close());
  const started: { aggregator?: Aggregator } = {};
  const alarms = startAlarms(o, { store, settlement, bitcoin }, () => started.aggregator);
  stack.opened(() => alarms.close());
  const foundation = { store, accounts, settlement, bitcoin, payments: payments.parts, controls, alarms };
  const aggregator = await startAggregator(o, { ...foundation, fail });
  started.aggregator = aggregator;
  stack.opened(() => aggregator.close());
  const outbound = await startOutbound(o, { database: delivery, aggregator, controls, signal }, stack.opened);
  const behind = { accounts, aggregator, settlement, bitcoin, outbound, payments, controls, alarms };
  const door = await openRestDoor(o, { ...behind, signal });
  stack.opened(() => door.close());
  o.log.info({ url: door.url, bitcoin: bitcoin.port.network, settler: settlement.submitter }, "service listening");
  const { regtest } = bitcoin;
  return {
    url: door.url,
    bitcoinRpcUrl: bitcoin.url,
    anchorAddress: bitcoin.address,
    submit: (request) => aggregator.submit({ ...request, account: SANDBOX_ACCOUNT }),
    mineBitcoin: regtest === undefined ? undefined : (blocks) => regtest.mine(blocks),
    failed,
    close: stack.close,
  };
}
