/** `accounts.db` as a file: opened, bound to one environment. Service and operator open the same one. */
import { existsSync } from "node:fs";
import { type Database, openDatabase, text } from "@cairn/aggregator";
import type { Environment } from "./api-key.ts";
import { MIGRATIONS } from "./migrations.ts";

/** The file belongs to a service of the other environment, or to none yet. */
export class EnvironmentMismatchError extends Error {
  override readonly name = "EnvironmentMismatchError";
}

/** There is no such file: no service has run in this home. */
export class NoAccountsError extends Error {
  override readonly name = "NoAccountsError";
}

/** Opens (or makes) the file for a service. Throws `EnvironmentMismatchError`, `StoreVersionError`. */
export function openAccountsFile(file: string, environment: Environment): Database {
  return opened(file, (database) => {
    database.run("INSERT INTO settings (key, value) VALUES ('environment', ?) ON CONFLICT DO NOTHING", environment);
    const stored = storedEnvironment(database);
    if (stored !== environment) {
      throw new EnvironmentMismatchError(`the accounts belong to a ${stored} service, this one is ${environment}`);
    }
  });
}

/** Opens a file that a service has made. Throws `NoAccountsError`, `StoreVersionError`. */
export function openExistingAccountsFile(file: string): {
  readonly database: Database;
  readonly environment: Environment;
} {
  if (!existsSync(file)) throw new NoAccountsError(`${file} is not there: start the service of this home once`);
  let environment: Environment = "production";
  const database = opened(file, (open) => {
    environment = storedEnvironment(open) === "sandbox" ? "sandbox" : "production";
  });
  return { database, environment };
}

function opened(file: string, check: (database: Database) => void): Database {
  const database = openDatabase(file, MIGRATIONS);
  try {
    check(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function storedEnvironment(database: Database): string {
  const row = database.get("SELECT value FROM settings WHERE key = 'environment'");
  return row === undefined ? "" : text(row, "value");
}
