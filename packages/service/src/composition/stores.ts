/** The service's databases below `<home>/service`: opened in one place, closed with the service. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Database, openDatabase, openThreadedStore, type Store } from "@cairn/aggregator";
import { DELIVERY_MIGRATIONS } from "../delivery/migrations.ts";
import type { CloseStack } from "./close-stack.ts";

/** Open databases. */
export interface Stores {
  /** `service.db`: submissions, batches, anchors. */
  readonly store: Store;
  /** `delivery.db`: what is owed to callers (kept answers, webhooks). */
  readonly delivery: Database;
}

/** Opens, and makes where missing, every database. */
export async function openStores(home: string, opened: CloseStack["opened"]): Promise<Stores> {
  const dir = join(home, "service");
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const store = await openThreadedStore(join(dir, "service.db"));
  opened(() => store.close());
  const delivery = openDatabase(join(dir, "delivery.db"), DELIVERY_MIGRATIONS);
  opened(() => delivery.close());
  return { store, delivery };
}
