/** The environment as a gate: what must hold before a production service starts, and that a store keeps its own. */
import type { SettlementPort, Store } from "@cairn/aggregator";
import { chainRefusals } from "../environment/chain-rules.ts";
import {
  type KnownOptions,
  ProductionError,
  productionRefusals,
  type Refusal,
} from "../environment/production-rules.ts";
import { foreignStore, storeRefusals } from "../environment/store-rules.ts";
import type { ServiceOptions } from "../options.ts";
import { EndpointError } from "../ports/json-rpc-client.ts";

const RPC_TIMEOUT_MS = 10_000;
/** A node that does not answer in time has nothing to add to what is refused already. */
const PROBE_TIMEOUT_MS = 5_000;

/**
 * Throws `ProductionError` with everything that options, home and store of a service have of the other environment, and
 * with what its chain has, as far as the node answers: all of it at once.
 */
export async function refuseForeignDefaults(o: KnownOptions): Promise<void> {
  refuse(o.environment, await startRefusals(o));
}

/** Everything that stands against a start; the chain is asked only where something does, and at the start itself. */
export async function startRefusals(o: KnownOptions): Promise<readonly Refusal[]> {
  const own = [...(o.environment === "production" ? productionRefusals(o) : []), ...storeRefusals(o)];
  if (own.length === 0 || o.environment !== "production") return own;
  const timed = { timeoutMs: PROBE_TIMEOUT_MS, signal: new AbortController().signal };
  const chain = await chainRefusals({ nodeRpcUrl: o.nodeRpcUrl, payment: o.payment, ...timed }).catch(() => []);
  return [...own, ...chain];
}

/** Throws `ProductionError` when the store was written in another environment. */
export async function requireOwnStore(o: ServiceOptions, store: Store): Promise<void> {
  const known = (await store.setting("environment")) ?? ((await isUsed(store)) ? "sandbox" : o.environment);
  if (known !== o.environment) {
    refuse(o.environment, [foreignStore(known)]);
  }
  await store.set("environment", o.environment);
}

/** Stores from before the setting existed are of a sandbox. */
async function isUsed(store: Store): Promise<boolean> {
  return (await store.setting("chain")) !== undefined;
}

/**
 * The port, whose first question in production also asks whether the chain is a sandbox's. Throws `ProductionError`
 * now when the node says so; a node that does not answer yet is asked again by the settler.
 */
export async function gateChain(o: ServiceOptions, port: SettlementPort, signal: AbortSignal): Promise<SettlementPort> {
  if (o.environment !== "production") return port;
  const gated: SettlementPort = {
    ...port,
    genesis: async () => {
      const timed = { timeoutMs: RPC_TIMEOUT_MS, signal };
      refuse(o.environment, await chainRefusals({ nodeRpcUrl: o.nodeRpcUrl, payment: o.payment, ...timed }));
      return port.genesis();
    },
  };
  try {
    await gated.genesis();
  } catch (error) {
    if (!(error instanceof EndpointError)) throw error;
    o.log.warn({ node: new URL(o.nodeRpcUrl).origin }, "the chain node does not answer yet, the service waits for it");
  }
  return gated;
}

function refuse(environment: ServiceOptions["environment"], refusals: readonly Refusal[]): void {
  if (refusals.length > 0) throw new ProductionError(refusals, environment);
}
