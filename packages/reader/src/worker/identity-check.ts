/** Whether the endpoints serve the chain the entry names, and the one it was first seen on. */
import { type ChainIdentity, EntryStopped, identityDifferences } from "../block-source.ts";
import type { Entry } from "../config/entry.ts";
import type { StateStore } from "../state/state-store.ts";

/** Compares and remembers. Throws EntryStopped on another chain. */
export function checkIdentity(entry: Entry, found: ChainIdentity, store: StateStore): void {
  const wanted = { chainId: String(entry.chainId), ...entry.expected };
  const differences = identityDifferences(wanted, found);
  if (differences.length > 0) throw new EntryStopped(`the endpoint serves another chain: ${differences.join(", ")}`);
  const known = store.progress.identity(entry.key) ?? {};
  const changed = identityDifferences(known, found);
  if (changed.length > 0) {
    throw new EntryStopped(`the endpoint serves another chain than before: ${changed.join(", ")}`);
  }
  store.progress.setIdentity(entry.key, { ...known, ...found });
}
