/** Whether the endpoints serve the chain the entry names, and the one it was first seen on. */
import { type ChainIdentity, EntryStopped, identityDifferences } from "../block-source.ts";
import type { Entry } from "../config/entry.ts";
import { EndpointError } from "../endpoint-error.ts";
import type { StateStore } from "../state/state-store.ts";
import type { Reading } from "./reading.ts";

/**
 * Asks, compares and remembers; from then on each endpoint is held to it before its first use. Of several endpoints one
 * of another chain is passed over. Throws EntryStopped when all serve another chain.
 */
export async function establishIdentity(reading: Reading, store: StateStore, signal: AbortSignal): Promise<void> {
  const { entry, source, pool } = reading;
  const wanted = { chainId: String(entry.chainId), ...entry.expected };
  const known = store.progress.identity(entry.key) ?? {};
  if (pool.endpoints.length > 1) source.requireIdentity?.({ ...known, ...wanted });
  const found = compared(wanted, known, await identityOf(reading, signal));
  store.progress.setIdentity(entry.key, { ...known, ...found });
  source.requireIdentity?.({ ...wanted, ...known, ...found });
}

async function identityOf({ source, pool }: Reading, signal: AbortSignal): Promise<ChainIdentity> {
  try {
    return await source.identity(signal);
  } catch (error) {
    const all = pool.endpoints.every(({ host }) => pool.dissents().has(host));
    if (error instanceof EndpointError && error.code === "other-chain" && all) throw new EntryStopped(error.message);
    throw error;
  }
}

function compared(wanted: Entry["expected"], known: ChainIdentity, found: ChainIdentity): ChainIdentity {
  const differences = identityDifferences(wanted, found);
  if (differences.length > 0) throw new EntryStopped(`the endpoint serves another chain: ${differences.join(", ")}`);
  const changed = identityDifferences(known, found);
  if (changed.length === 0) return found;
  throw new EntryStopped(`the endpoint serves another chain than before: ${changed.join(", ")}`);
}
