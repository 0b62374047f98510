/**
 * The accounts of one service, as the running service needs them. The operator's commands open the same file; what one
 * commits the other's next read sees. Owns neither HTTP nor what a submission is.
 */
import type { Database } from "@cairn/aggregator";
import type { AccessRequestBody } from "@cairn/api";
import type { Address } from "@cairn/primitives";
import { type AccessRequest, claimKey, findClaim, type NotedRequest, noteRequest } from "./access-requests.ts";
import type { Account, ChainProfile } from "./account.ts";
import { ensureAccount, findAccount, findByWallet, findProfile, resolveChain, setWallet } from "./account-store.ts";
import { openAccountsFile } from "./accounts-file.ts";
import { type Environment, parseApiKey } from "./api-key.ts";
import type { ClaimNames } from "./claim-names.ts";
import { ALL_SCOPES, adoptKey, findKey, type IssuedKey, type KeyRecord, markKeyUsed } from "./keys.ts";
import { createRevisionCache } from "./revision-cache.ts";

/** A token that does not have the form of a key of this environment. */
export class KeyFormError extends Error {
  override readonly name = "KeyFormError";
}

/** Whose a token becomes. */
export interface Adoption {
  readonly account: string;
  readonly label: string;
  /** No rate and no quota limits it. */
  readonly exempt?: boolean;
}

/** Open accounts. Every member throws `StoreUnavailableError` when the disk or another process is the reason. */
export interface Accounts {
  readonly environment: Environment;
  find(name: string): Account | undefined;
  /** Makes the account where it is missing. */
  ensure(name: string, nowMs: number): void;
  /** The account that a wallet pays for. */
  findByWallet(wallet: Address): string | undefined;
  /** Binds the wallet that pays; an account of this name must exist. */
  setWallet(name: string, wallet: Address, nowMs: number): void;
  /**
   * The chain that a chain id stands for: one registered for the account, by its key or an alias. The sandbox takes any
   * other as well, by its canonical form.
   */
  resolveChain(account: string, chainId: string): { readonly chainKey: string } | undefined;
  /** What a bare artifact of an account's chain is taken for; undefined: nothing is said. */
  profileOf(account: string, chainKey: string): ChainProfile | undefined;
  findKey(id: string): KeyRecord | undefined;
  /** Remembers uses of keys, to the hour. */
  markKeysUsed(uses: ReadonlyMap<string, number>): void;
  /**
   * Makes `token` the account's key of this label, with every scope; others of this label are revoked. Throws
   * `KeyFormError` when it has not the form of a key of this environment.
   */
  adoptToken(token: string, o: Adoption, nowMs: number): void;
  /** Notes a request for access, unless too many are open. */
  noteRequest(body: AccessRequestBody, names: ClaimNames, nowMs: number): NotedRequest;
  /**
   * The request that the secret was given for; with `take`, the key of an approved one is made and is in this answer
   * only. Undefined for another id or secret.
   */
  readRequest(
    claim: { readonly id: string; readonly secret: string; readonly take: boolean },
    nowMs: number,
  ): { readonly request: AccessRequest; readonly issued: IssuedKey | undefined } | undefined;
  /** A number that is another one after any other process or connection has changed the file. */
  foreignChanges(): number;
  close(): void;
}

/** Opens (or makes) the accounts of a service. Throws `EnvironmentMismatchError`, `StoreVersionError`. */
export function openAccounts(file: string, environment: Environment): Accounts {
  return accountsOn(openAccountsFile(file, environment), environment);
}

function accountsOn(database: Database, environment: Environment): Accounts {
  const revision = (): number => Number(database.get("PRAGMA data_version")?.data_version ?? 0);
  const accounts = createRevisionCache({ revision, read: (name) => findAccount(database, name) });
  const keys = createRevisionCache({ revision, read: (id) => findKey(database, id) });
  return {
    environment,
    find: accounts.get,
    findByWallet: (wallet) => findByWallet(database, wallet),
    ensure: (name, nowMs) => void ensureAccount(database, name, nowMs),
    setWallet: (name, wallet, nowMs) => {
      accounts.clear();
      if (!setWallet(database, name, wallet, nowMs)) throw new RangeError(`no account ${name}`);
    },
    resolveChain: (account, chainId) => resolveChain(database, environment, account, chainId),
    profileOf: (account, chainKey) => findProfile(database, account, chainKey),
    findKey: keys.get,
    markKeysUsed: (uses) =>
      database.transaction(() => {
        for (const [id, atMs] of uses) markKeyUsed(database, id, atMs);
      }),
    adoptToken: (token, o, nowMs) => {
      const key = parseApiKey(token);
      if (key?.environment !== environment) throw new KeyFormError(`the token is no key of a ${environment} service`);
      database.transaction(() => {
        ensureAccount(database, o.account, nowMs);
        adoptKey(database, key, { ...o, exempt: o.exempt === true, scopes: ALL_SCOPES }, nowMs);
      });
      keys.clear();
    },
    noteRequest: (body, names, nowMs) => database.transaction(() => noteRequest(database, body, names, nowMs)),
    readRequest: (claim, nowMs) => readRequest(database, environment, claim, nowMs),
    foreignChanges: revision,
    close: () => database.close(),
  };
}

function readRequest(
  database: Database,
  environment: Environment,
  { id, secret, take }: Parameters<Accounts["readRequest"]>[0],
  nowMs: number,
): ReturnType<Accounts["readRequest"]> {
  const request = findClaim(database, id, secret, nowMs);
  if (request?.state !== "approved" || !take) return request === undefined ? undefined : { request, issued: undefined };
  return database.transaction(() => {
    // Read again: another connection may have claimed or rejected it in between.
    const now = findClaim(database, id, secret, nowMs);
    const issued = now === undefined ? undefined : claimKey(database, environment, now, nowMs);
    const after = findClaim(database, id, secret, nowMs);
    return after === undefined ? undefined : { request: after, issued };
  });
}
