/**
 * Owns the bound on replies in memory over all connections, those being made and those a peer has not read. When they
 * are too many, the connection that holds most is cut: one that reads what it asks for keeps nothing for long.
 */

/** What one connection holds. */
export interface ReplyHolder {
  /** Counts bytes in; may cut this connection or another. */
  hold(bytes: number): void;
  /** Counts bytes out. */
  release(bytes: number): void;
  /** The connection ended: nothing of it is held any more. */
  end(): void;
}

/** The budget of a server. */
export interface ReplyBudget {
  /** Opens the account of a connection; `cut` ends it. */
  open(cut: (heldBytes: number) => void): ReplyHolder;
  /** Bytes held by all. */
  readonly bytes: number;
}

interface Account {
  bytes: number;
  readonly cut: (heldBytes: number) => void;
}

/** The account that holds most. */
function largest(accounts: Iterable<Account>): Account | undefined {
  let found: Account | undefined;
  for (const account of accounts) if (found === undefined || account.bytes > found.bytes) found = account;
  return found;
}

/** A budget of so many bytes. */
export function createReplyBudget(mostBytes: number): ReplyBudget {
  const accounts = new Set<Account>();
  let total = 0;

  const end = (account: Account): void => {
    if (!accounts.delete(account)) return;
    total -= account.bytes;
  };

  return {
    open(cut) {
      const account: Account = { bytes: 0, cut };
      accounts.add(account);
      return {
        hold(bytes) {
          if (!accounts.has(account)) return;
          account.bytes += bytes;
          total += bytes;
          while (total > mostBytes) {
            const worst = largest(accounts);
            if (worst === undefined) return;
            end(worst);
            worst.cut(worst.bytes);
          }
        },
        release(bytes) {
          if (!accounts.has(account)) return;
          account.bytes -= bytes;
          total -= bytes;
        },
        end: () => end(account),
      };
    },
    get bytes() {
      return total;
    },
  };
}
