/**
 * Owns what EIP-7702 costs the pool (geth's rules): a transaction elsewhere can spend a delegated account's balance or
 * move its nonce, so such an account has one executable transaction at a time and no queue. An account counts as
 * delegated once a pooled authorization names it.
 */
import type { PoolRefusal } from "../submission.ts";
import type { Candidate } from "./candidate.ts";
import { nextNonce, type PoolAccount } from "./pool-account.ts";
import type { TxPool } from "./txpool.ts";

/** Pooled transactions an account may have when an authorization of it enters. */
const MOST_OF_AUTHORITY = 1;

/** Why the candidate breaks the limits of delegated accounts; `undefined` when it keeps them. */
export function checkDelegation(pool: TxPool, account: PoolAccount, candidate: Candidate): PoolRefusal | undefined {
  const limit = checkSenderLimit(pool, account, candidate);
  if (limit !== undefined) return limit;
  for (const authority of candidate.tx.authorities) {
    const pooled = pool.accounts.get(authority)?.txs.length ?? 0;
    if (pooled > MOST_OF_AUTHORITY) return { ok: false, code: "authority-reserved" };
  }
  return undefined;
}

function checkSenderLimit(pool: TxPool, account: PoolAccount, { tx, senderDelegated }: Candidate) {
  if (!senderDelegated && !pool.authorities.has(tx.sender)) return undefined;
  const next = nextNonce(account);
  if (account.executable === 0) return tx.nonce === next ? undefined : refuse("delegated-gap");
  return tx.nonce < next ? undefined : refuse("in-flight-limit");
}

const refuse = (code: "delegated-gap" | "in-flight-limit"): PoolRefusal => ({ ok: false, code });
