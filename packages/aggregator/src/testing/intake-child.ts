/**
 * A process that takes submissions into the store named by its argument until it is killed. It writes each id to
 * standard output only after the intake acknowledged it.
 */
import { writeSync } from "node:fs";
import { createIntake } from "../intake.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";

const [file = "", prefix = ""] = process.argv.slice(2);
const store = openSqliteStore(file);
const policy = { maxReceived: 1_000_000, maxWaitingCharacters: 1_000_000, commitSize: 100 };
const options = { store, environment: "sandbox", policy, received: 0, clock: Date.now, onStored: () => {} };
const intake = createIntake(options);

async function submitForever(lane: number): Promise<never> {
  for (let n = 0; ; n += 1) {
    const request = { account: "sandbox", chainId: "x", proofData: `${prefix} ${lane} ${n}` };
    const outcome = await intake.submit(request);
    if (outcome.ok) writeSync(1, `${outcome.submission.id}\n`);
  }
}

await Promise.all(Array.from({ length: 16 }, (_, lane) => submitForever(lane)));
