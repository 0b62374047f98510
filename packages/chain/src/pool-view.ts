/** Owns how others see the pool (`txpool_*`, pending nonces and blocks); changes nothing. */
import type { Head, Native } from "@cairn/native";
import type { Address } from "@cairn/primitives";
import type { PoolContent, PoolView } from "./chain.ts";
import type { PooledTx } from "./pooled-tx.ts";
import { nextNonce, type PoolAccount, txAt } from "./txpool/pool-account.ts";
import type { TxPool } from "./txpool/txpool.ts";

/** A live view of the pool over the head state. Addresses are taken in either case. */
export function poolView(
  pool: TxPool,
  { native, head }: { readonly native: Pick<Native, "account">; readonly head: () => Head },
  selection: () => readonly PooledTx[],
): PoolView {
  const of = (address: Address) => pool.accounts.get(address.toLowerCase() as Address);
  return {
    pendingNonce(address) {
      const account = of(address);
      const atHead = native.account(address, head().number)?.nonce ?? 0n;
      const pooled = account === undefined ? 0n : nextNonce(account);
      return pooled > atHead ? pooled : atHead;
    },
    get: (hash) => pool.byHash.get(hash.toLowerCase() as Address),
    at(sender, nonce) {
      const account = of(sender);
      return account === undefined ? undefined : txAt(account, nonce);
    },
    content: () => ({ pending: contentOf(pool, pendingOf), queued: contentOf(pool, queuedOf) }),
    contentFrom(address) {
      const account = of(address);
      if (account === undefined) return { pending: [], queued: [] };
      return { pending: pendingOf(account), queued: queuedOf(account) };
    },
    status: () => ({ pending: pool.pending, queued: pool.byHash.size - pool.pending }),
    selection,
  };
}

const pendingOf = (account: PoolAccount): readonly PooledTx[] => account.txs.slice(0, account.executable);
const queuedOf = (account: PoolAccount): readonly PooledTx[] => account.txs.slice(account.executable);

function contentOf(pool: TxPool, part: (account: PoolAccount) => readonly PooledTx[]): PoolContent {
  const content = new Map<Address, readonly PooledTx[]>();
  for (const account of pool.accounts.values()) {
    const txs = part(account);
    if (txs.length > 0) content.set(account.address, txs);
  }
  return content;
}
