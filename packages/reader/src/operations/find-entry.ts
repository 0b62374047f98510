/** Finding an entry by the name an operator gives. */
import type { Entry } from "../config/entry.ts";
import { OperationError } from "./operation-error.ts";

const MOST_NAMED = 20;

/** By key, else by name: `rpc` and `sdk` entries before `contract` entries. Throws `unknown-entry`. */
export function findEntry(entries: readonly Entry[], name: string): Entry {
  const wanted = name.toLowerCase();
  const named = entries.filter((entry) => entry.key === wanted || entry.name === wanted);
  const entry = named.find((one) => one.kind !== "contract") ?? named[0];
  if (entry !== undefined) return entry;
  const known = entries
    .slice(0, MOST_NAMED)
    .map((one) => one.key)
    .join(", ");
  const more = entries.length > MOST_NAMED ? ` and ${entries.length - MOST_NAMED} more` : "";
  throw new OperationError("unknown-entry", `no entry "${name.slice(0, 80)}"; the list has ${known}${more}`);
}
