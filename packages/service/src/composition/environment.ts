/** The environment as a gate: what must hold before a production service starts, and that a store keeps its own. */
import type { SettlementPort, Store } from "@cairn/aggregator";
import { chainRefusals } from "../environment/chain-rules.ts";
import { ProductionError, productionRefusals } from "../environment/production-rules.ts";
import type { ServiceOptions } from "../options.ts";
import { EndpointError } from "../ports/json-rpc-client.ts";

const RPC_TIMEOUT_MS = 10_000;

/** Throws `ProductionError` with everything that options and home of a production service have of a sandbox. */
export function refuseSandboxDefaults(o: ServiceOptions): void {
  if (o.environment === "production") refuse(productionRefusals(o));
}

/** Throws `ProductionError` when the store was written in another environment. */
export async function requireOwnStore(o: ServiceOptions, store: Store): Promise<void> {
  const known = (await store.setting("environment")) ?? ((await isUsed(store)) ? "sandbox" : o.environment);
  if (known !== o.environment) {
    const message = `the store in this home belongs to a ${known} service: its ids name it, use another home`;
    refuse([{ code: "sandbox-store", message }]);
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
      refuse(await chainRefusals({ nodeRpcUrl: o.nodeRpcUrl, payment: o.payment, timeoutMs: RPC_TIMEOUT_MS, signal }));
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

function refuse(refusals: ConstructorParameters<typeof ProductionError>[0]): void {
  if (refusals.length > 0) throw new ProductionError(refusals);
}
