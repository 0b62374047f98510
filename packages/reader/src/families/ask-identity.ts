/** Asking one endpoint which chain it serves, as far as its family tells. */
import { parseQuantity } from "@cairn/primitives";
import type { ChainIdentity } from "../block-source.ts";
import type { Endpoint } from "../endpoint.ts";
import { EndpointError } from "../endpoint-error.ts";
import { askValue } from "./ask.ts";
import type { FamilyRow, ValueRow } from "./family.ts";

/** The identity; parts that the endpoint does not serve are left out, its chain id is not. Throws EndpointError. */
export async function askIdentity(endpoint: Endpoint, row: FamilyRow, signal: AbortSignal): Promise<ChainIdentity> {
  const { chainId, network, genesis } = row.identity;
  const id = chainId === undefined ? undefined : chainIdText(await askValue(endpoint, chainId, signal));
  const parts = {
    chainId: id,
    network: await told(endpoint, network, signal),
    genesis: await told(endpoint, genesis, signal),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}

const REFUSALS = new Set(["rpc-error", "http-status", "undecodable", "missing"]);

/** An optional part: an endpoint may not serve it. One that only asks to slow down is asked again. */
async function told(endpoint: Endpoint, row: ValueRow | undefined, signal: AbortSignal): Promise<string | undefined> {
  if (row === undefined) return undefined;
  try {
    const found = await askValue(endpoint, row, signal);
    return typeof found === "string" || typeof found === "number" ? String(found) : undefined;
  } catch (error) {
    if (error instanceof EndpointError && REFUSALS.has(error.code) && !error.throttled) return undefined;
    throw error;
  }
}

/** A chain id as decimal text; quantities and JSON numbers alike. */
function chainIdText(value: unknown): string {
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  try {
    return parseQuantity(typeof value === "string" ? value : "").toString();
  } catch {
    throw new EndpointError("undecodable", "the chain id is no number");
  }
}
