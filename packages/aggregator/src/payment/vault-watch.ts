/** The ledger worker: follows the vault's logs in committed blocks. Knows the chain only through its port. */
import type { Rest } from "../loop.ts";
import type { Clock, VaultPort } from "../ports.ts";
import type { Store } from "../store.ts";

/** Blocks asked for at a time. */
const LOG_RANGE = 5_000;
const IDLE_MS = 1_000;

/** One range of blocks, up to the block before the head, whose successor's header commits to it. */
export function vaultWatchStep(o: {
  readonly store: Store;
  readonly port: VaultPort;
  readonly pollMs: number;
  readonly clock: Clock;
}): () => Promise<Rest> {
  return async () => {
    // A store from a backup first learns which batches it does not know: their charges are an earlier store's.
    if ((await o.store.setting("restored")) === "yes") return { restMs: o.pollMs };
    // The settler binds a new store to its chain first, and says which batches are an earlier store's.
    if ((await o.store.setting("chain")) === undefined) return { restMs: o.pollMs };
    const cursor = Number((await o.store.setting("vault-cursor")) ?? -1);
    const safe = (await o.port.head()) - 1;
    if (safe <= cursor) return { restMs: o.pollMs };
    const to = Math.min(safe, cursor + LOG_RANGE);
    const logs = await o.port.logs(cursor + 1, to);
    const reached = await o.store.followVault({ to, logs }, o.clock());
    if (reached < to) return { restMs: IDLE_MS };
    return { restMs: reached < safe ? 0 : o.pollMs };
  };
}
