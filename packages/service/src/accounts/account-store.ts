/**
 * Accounts, their chains and their agreements as rows. Owns the tables `accounts`, `chains` and `chain_aliases`. Callers
 * own the transactions.
 */
import { canonicalChainId, type Database, hex, integer, optional, type Row, text } from "@cairn/aggregator";
import { type Address, hexToBytes } from "@cairn/primitives";
import type { Account, AccountChain, Agreement, ChainProfile, RateLimits } from "./account.ts";
import type { Environment } from "./api-key.ts";

/** Form of an account's name. */
export const ACCOUNT_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/;

/** A chain to be registered, as an operator names it. */
export interface NewChain {
  readonly chainId: string;
  readonly aliases: readonly string[];
  readonly profile: ChainProfile | undefined;
}

/** Makes the account where it is missing; whether it was. */
export function ensureAccount(database: Database, name: string, nowMs: number): boolean {
  return (
    database.run("INSERT INTO accounts (name, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING", name, nowMs) === 1
  );
}

/** Finds an account by its name. */
export function findAccount(database: Database, name: string): Account | undefined {
  const row = database.get("SELECT * FROM accounts WHERE name = ?", name);
  return row === undefined ? undefined : readAccount(row, readChains(database, name));
}

/** Every account by name. */
export function listAccounts(database: Database): readonly Account[] {
  return database
    .all("SELECT * FROM accounts ORDER BY name")
    .map((row) => readAccount(row, readChains(database, text(row, "name"))));
}

/** Name of the account that a wallet pays for. */
export function findByWallet(database: Database, wallet: Address): string | undefined {
  const row = database.get("SELECT name FROM accounts WHERE wallet = ?", hexToBytes(wallet));
  return row === undefined ? undefined : text(row, "name");
}

/** Binds the wallet that pays; false: no such account. */
export function setWallet(database: Database, name: string, wallet: Address, nowMs: number): boolean {
  const sql = "UPDATE accounts SET wallet = ?, wallet_at = ? WHERE name = ?";
  return database.run(sql, hexToBytes(wallet), nowMs, name) === 1;
}

/** Sets agreement and limits; lifts a suspension. `limits` undefined: the service's. */
export function setAgreement(
  database: Database,
  o: { readonly account: string; readonly agreement: Agreement | undefined; readonly limits: RateLimits | undefined },
  nowMs: number,
): void {
  const { agreement, limits } = o;
  database.run(
    `UPDATE accounts SET per_day = ?, plan = ?, settlement_days = ?, agreed_at = ?, per_minute = ?, burst = ?,
       suspended_at = NULL WHERE name = ?`,
    ...[agreement?.perDay ?? null, agreement?.plan ?? null, agreement?.settlementDays ?? null],
    ...[agreement === undefined ? null : nowMs, limits?.perMinute ?? null, limits?.burst ?? null, o.account],
  );
}

/** Marks the account as suspended; false: no such account. */
export function suspendAccount(database: Database, name: string, nowMs: number): boolean {
  const sql = "UPDATE accounts SET suspended_at = coalesce(suspended_at, ?) WHERE name = ?";
  return database.run(sql, nowMs, name) === 1;
}

/**
 * Registers a chain, or changes aliases and profile of one that is. Answers the name that stands for another chain of
 * the account already, if any: then nothing must be kept of the transaction.
 */
export function putChain(
  database: Database,
  account: string,
  chain: NewChain,
  nowMs: number,
): { readonly taken: string } | undefined {
  const chainKey = canonicalChainId(chain.chainId);
  const names = [chainKey, ...chain.aliases.map(canonicalChainId)];
  const taken = names.find((name) => (lookUpChain(database, account, name) ?? chainKey) !== chainKey);
  if (taken !== undefined) return { taken };
  database.run(
    `INSERT INTO chains (account, chain_key, profile, added_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (account, chain_key) DO UPDATE SET profile = coalesce(excluded.profile, profile)`,
    ...[account, chainKey, chain.profile === undefined ? null : JSON.stringify(chain.profile), nowMs],
  );
  for (const alias of names.slice(1)) {
    database.run(
      "INSERT INTO chain_aliases (account, alias, chain_key) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      ...[account, alias, chainKey],
    );
  }
  return undefined;
}

/** The chain that a chain id stands for: a registered one; in the sandbox any other too, by its canonical form. */
export function resolveChain(
  database: Database,
  environment: Environment,
  account: string,
  chainId: string,
): { readonly chainKey: string } | undefined {
  const canonical = canonicalChainId(chainId);
  const chainKey = lookUpChain(database, account, canonical);
  if (chainKey !== undefined) return { chainKey };
  return environment === "sandbox" ? { chainKey: canonical } : undefined;
}

function lookUpChain(database: Database, account: string, canonical: string): string | undefined {
  const row = database.get(
    `SELECT chain_key FROM chains WHERE account = ?1 AND chain_key = ?2
     UNION ALL SELECT chain_key FROM chain_aliases WHERE account = ?1 AND alias = ?2`,
    ...[account, canonical],
  );
  return row === undefined ? undefined : text(row, "chain_key");
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

/** The profile of a chain that an account registered. */
export function findProfile(database: Database, account: string, chainKey: string): ChainProfile | undefined {
  const row = database.get("SELECT profile FROM chains WHERE account = ? AND chain_key = ?", account, chainKey);
  const profile = row === undefined ? undefined : optional(row, "profile", text);
  return profile === undefined ? undefined : (JSON.parse(profile) as ChainProfile);
}

function readChains(database: Database, account: string): readonly AccountChain[] {
  const aliases = database.all("SELECT alias, chain_key FROM chain_aliases WHERE account = ? ORDER BY alias", account);
  const rows = database.all("SELECT chain_key, profile FROM chains WHERE account = ? ORDER BY chain_key", account);
  return rows.map((row) => {
    const chainKey = text(row, "chain_key");
    const profile = optional(row, "profile", text);
    return {
      chainKey,
      aliases: aliases.filter((alias) => text(alias, "chain_key") === chainKey).map((alias) => text(alias, "alias")),
      ...(profile === undefined ? {} : { profile: JSON.parse(profile) as ChainProfile }),
    };
  });
}
