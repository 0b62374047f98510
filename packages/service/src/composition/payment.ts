/** Payment's parts: price plans, and the vault or the sandbox's mock money. */
import { type PaymentParts, type SettlementPort, STANDARD_PLAN } from "@cairn/aggregator";
import type { ServiceOptions } from "../options.ts";
import { createVaultPort } from "../ports/vault-port.ts";

const RPC_TIMEOUT_MS = 10_000;

/** What the aggregator is given; undefined: nobody pays. */
export function paymentParts(
  o: ServiceOptions,
  settlement: SettlementPort,
  signal: AbortSignal,
): PaymentParts | undefined {
  const plans = { standard: STANDARD_PLAN };
  if (o.payment === "none") return undefined;
  if (o.payment !== "vault") return { plans };
  const { nodeRpcUrl } = o;
  return {
    plans,
    vault: createVaultPort({ nodeRpcUrl, settler: settlement.submitter, timeoutMs: RPC_TIMEOUT_MS, signal }),
  };
}
