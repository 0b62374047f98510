/** Owns finding the transaction of a sender with a nonce: the block whose execution used the nonce up, by bisection. */
import type { Chain } from "@cairn/chain";
import type { Address } from "@cairn/primitives";
import { pooledTransaction } from "./pooled-json.ts";

interface Listed {
  readonly from: Address;
  readonly nonce: string;
}

function usedUpAfter(chain: Chain, sender: Address, nonce: bigint, block: bigint): boolean {
  return (chain.reads.account(sender, block)?.nonce ?? 0n) > nonce;
}

/** JSON text of the transaction, committed or pooled; `null` when there is none. */
export async function transactionBySenderAndNonce(chain: Chain, sender: Address, nonce: bigint): Promise<string> {
  let high = chain.head().number;
  if (!usedUpAfter(chain, sender, nonce, high)) {
    const pooled = chain.pool.at(sender, nonce);
    return pooled === undefined ? "null" : JSON.stringify(pooledTransaction(pooled));
  }
  let low = -1n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (usedUpAfter(chain, sender, nonce, middle)) high = middle;
    else low = middle;
  }
  const block = JSON.parse((await chain.reads.blockJson(high, true)) ?? "null") as { transactions: Listed[] } | null;
  // A nonce used up by an authorization, or by a contract's creations, belongs to no transaction.
  const found = block?.transactions.find((tx) => tx.from === sender && BigInt(tx.nonce) === nonce);
  return found === undefined ? "null" : JSON.stringify(found);
}
