/** Whose store a home has: read without opening it for writing, before anything of a service is made. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Environment } from "../accounts/api-key.ts";
import { type Refusal, refusal } from "./production-rules.ts";

/** Refuses a home whose store was written in the other environment. */
export function storeRefusals(o: { readonly home: string; readonly environment: Environment }): readonly Refusal[] {
  const known = storedEnvironment(join(o.home, "service/service.db"));
  return known === undefined || known === o.environment ? [] : [foreignStore(known)];
}

/** The refusal of a store of the other environment. */
export function foreignStore(known: string): Refusal {
  const problem = `has the store of a ${known} service, whose ids name it: use another home`;
  return refusal("sandbox-store", "--home", problem);
}

/** Undefined where there is no store, or none that can be read now: then its opening says more. */
function storedEnvironment(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    const row = database.prepare("SELECT value FROM settings WHERE key = 'environment'").get();
    return typeof row?.value === "string" ? row.value : undefined;
  } catch {
    return undefined;
  } finally {
    database?.close();
  }
}
