/**
 * A process that takes paid submissions through their life in the store named by its argument, until it is killed. It
 * writes a submission's row to standard output after its settlement was acknowledged.
 */
import { writeSync } from "node:fs";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { advancePayments } from "./payment-steps.ts";

const [file = "", prefix = ""] = process.argv.slice(2);
const store = openSqliteStore(file);
for (let n = 0; ; n += 1) {
  for (const seq of await advancePayments(store, [`${prefix} ${n} a`, `${prefix} ${n} b`])) writeSync(1, `${seq}\n`);
}
