/**
 * `accounts.db`: accounts, chains and keys of one service. The service and the operator's commands open the same file;
 * what one commits the other's next read sees. Owns the file; not HTTP, not what a submission is.
 */
import {
  canonicalChainId,
  type Database,
  hex,
  integer,
  openDatabase,
  optional,
  type Row,
  text,
} from "@cairn/aggregator";
import { type Address, hexToBytes } from "@cairn/primitives";
import type { Account, AccountChain, ChainProfile } from "./account.ts";
import { type Environment, parseApiKey } from "./api-key.ts";
import { ALL_SCOPES, adoptKey, findKey, type KeyRecord } from "./keys.ts";
import { MIGRATIONS } from "./migrations.ts";

/** The file belongs to a service of the other environment. */
export class EnvironmentMismatchError extends Error {
  override readonly name = "EnvironmentMismatchError";
}

/** A key that does not have the form of a key of this environment. */
export class KeyFormError extends Error {
  override readonly name = "KeyFormError";
}

/** Open accounts. Every member throws `StoreUnavailableError` when the disk or another process is the reason. */
export interface Accounts {
  readonly environment: Environment;
  find(name: string): Account | undefined;
  /** Makes the account where it is missing. */
  ensure(name: string, nowMs: number): void;
  /** Binds the wallet that pays; an account of this name must exist. */
  setWallet(name: string, wallet: Address, nowMs: number): void;
  /**
   * The chain that a chain id stands for: one registered for the account, by its key or an alias. The sandbox takes any
   * other as well, by its canonical form.
   */
  resolveChain(account: string, chainId: string): { readonly chainKey: string } | undefined;
  findKey(id: string): KeyRecord | undefined;
  /**
   * Makes `token` the account's key of this label, with every scope; others of this label are revoked. Throws
   * `KeyFormError` when it has not the form of a key of this environment.
   */
  adoptToken(token: string, o: { readonly account: string; readonly label: string }, nowMs: number): void;
  close(): void;
}

/** Opens (or makes) the accounts of a service. Throws `EnvironmentMismatchError`, `StoreVersionError`. */
export function openAccounts(file: string, environment: Environment): Accounts {
  const database = openDatabase(file, MIGRATIONS);
  try {
    requireEnvironment(database, environment);
  } catch (error) {
    database.close();
    throw error;
  }
  return accountsOn(database, environment);
}

function accountsOn(database: Database, environment: Environment): Accounts {
  const ensure = (name: string, nowMs: number): void =>
    void database.run("INSERT INTO accounts (name, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING", name, nowMs);
  return {
    environment,
    find: (name) => findAccount(database, name),
    ensure,
    setWallet: (name, wallet, nowMs) => {
      const changed = database.run(
        "UPDATE accounts SET wallet = ?, wallet_at = ? WHERE name = ?",
        ...[hexToBytes(wallet), nowMs, name],
      );
      if (changed === 0) throw new RangeError(`no account ${name}`);
    },
    resolveChain: (account, chainId) => resolveChain(database, environment, account, canonicalChainId(chainId)),
    findKey: (id) => findKey(database, id),
    adoptToken: (token, o, nowMs) => {
      const key = parseApiKey(token);
      if (key?.environment !== environment) throw new KeyFormError(`the token is no key of a ${environment} service`);
      database.transaction(() => {
        ensure(o.account, nowMs);
        adoptKey(database, key, { ...o, scopes: ALL_SCOPES }, nowMs);
      });
    },
    close: () => database.close(),
  };
}

function requireEnvironment(database: Database, environment: Environment): void {
  database.run("INSERT INTO settings (key, value) VALUES ('environment', ?) ON CONFLICT DO NOTHING", environment);
  const row = database.get("SELECT value FROM settings WHERE key = 'environment'");
  const stored = row === undefined ? "" : text(row, "value");
  if (stored !== environment) {
    throw new EnvironmentMismatchError(`the accounts belong to a ${stored} service, this one is ${environment}`);
  }
}

function resolveChain(database: Database, environment: Environment, account: string, canonical: string) {
  const row = database.get(
    `SELECT chain_key FROM chains WHERE account = ?1 AND chain_key = ?2
     UNION ALL SELECT chain_key FROM chain_aliases WHERE account = ?1 AND alias = ?2`,
    ...[account, canonical],
  );
  if (row !== undefined) return { chainKey: text(row, "chain_key") };
  return environment === "sandbox" ? { chainKey: canonical } : undefined;
}

function findAccount(database: Database, name: string): Account | undefined {
  const row = database.get("SELECT * FROM accounts WHERE name = ?", name);
  return row === undefined ? undefined : readAccount(row, readChains(database, name));
}

function readAccount(row: Row, chains: readonly AccountChain[]): Account {
  const perDay = optional(row, "per_day", integer);
  const perMinute = optional(row, "per_minute", integer);
  return {
    name: text(row, "name"),
    wallet: optional(row, "wallet", hex),
    agreement:
      perDay === undefined
        ? undefined
        : { perDay, plan: text(row, "plan"), settlementDays: integer(row, "settlement_days") },
    chains,
    limits: perMinute === undefined ? undefined : { perMinute, burst: integer(row, "burst") },
    suspended: row.suspended_at !== null,
    createdAtMs: integer(row, "created_at"),
  };
}

function readChains(database: Database, account: string): readonly AccountChain[] {
  const aliases = database.all("SELECT alias, chain_key FROM chain_aliases WHERE account = ? ORDER BY alias", account);
  return database
    .all("SELECT chain_key, profile FROM chains WHERE account = ? ORDER BY chain_key", account)
    .map((row) => {
      const chainKey = text(row, "chain_key");
      const profile = optional(row, "profile", text);
      return {
        chainKey,
        aliases: aliases.filter((alias) => text(alias, "chain_key") === chainKey).map((alias) => text(alias, "alias")),
        ...(profile === undefined ? {} : { profile: JSON.parse(profile) as ChainProfile }),
      };
    });
}
