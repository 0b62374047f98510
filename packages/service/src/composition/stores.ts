/** The service's databases below `<home>/service`: opened in one place, closed with the service. */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Database, openDatabase, openThreadedStore, type Store } from "@cairn/aggregator";
import { type Accounts, openAccounts } from "../accounts/accounts.ts";
import { checkDatabase } from "../backup/backup.ts";
import { DELIVERY_MIGRATIONS } from "../delivery/migrations.ts";
import type { ServiceOptions } from "../options.ts";
import type { CloseStack } from "./close-stack.ts";

/** The one account of a sandbox. */
export const SANDBOX_ACCOUNT = "sandbox";

/** Open databases. */
export interface Stores {
  /** `service.db`: submissions, batches, anchors. */
  readonly store: Store;
  /** `delivery.db`: what is owed to callers (kept answers, webhooks). */
  readonly delivery: Database;
  /** `accounts.db`: accounts, chains, keys. */
  readonly accounts: Accounts;
}

/** Opens, and makes where missing, every database. */
export async function openStores(
  o: Pick<ServiceOptions, "home" | "environment" | "token" | "readerToken" | "integrityCheck">,
  opened: CloseStack["opened"],
): Promise<Stores> {
  const dir = join(o.home, "service");
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (o.integrityCheck === true) checkStores(dir);
  const store = await openThreadedStore(join(dir, "service.db"));
  opened(() => store.close());
  const delivery = openDatabase(join(dir, "delivery.db"), DELIVERY_MIGRATIONS);
  opened(() => delivery.close());
  const accounts = openAccounts(join(dir, "accounts.db"), o.environment);
  opened(() => accounts.close());
  if (o.token !== undefined)
    accounts.adoptToken(o.token, { account: SANDBOX_ACCOUNT, label: "sandbox token" }, Date.now());
  if (o.readerToken !== undefined)
    accounts.adoptToken(o.readerToken, { account: SANDBOX_ACCOUNT, label: "reader token", exempt: true }, Date.now());
  return { store, accounts, delivery };
}

/** Throws `BackupError` `damaged-database`: a service on a damaged store would only make it worse. */
function checkStores(dir: string): void {
  for (const name of ["service.db", "accounts.db", "delivery.db"]) {
    const file = join(dir, name);
    if (existsSync(file)) checkDatabase(file);
  }
}
