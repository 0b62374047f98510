/**
 * SIGKILL while payments are reserved and captured: nothing is lost, nothing is charged twice, the books still
 * balance.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { advancePayments, DEPOSIT_WEI, PAYER, PRICE_WEI } from "../testing/payment-steps.ts";
import { temporaryDirectory } from "../testing/temporary.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const CHILD = fileURLToPath(new URL("../testing/payment-child.ts", import.meta.url));
const ROUNDS = 6;

/** Runs the child until it acknowledged so many, then kills it at once. */
async function runUntilKilled(file: string, round: number): Promise<readonly number[]> {
  const args = ["--conditions=cairn-source", "--disable-warning=ExperimentalWarning", CHILD, file, `${round}`];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  let output = "";
  const wanted = 10 + round * 7;
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    output += chunk;
    if (output.split("\n").length > wanted) child.kill("SIGKILL");
  }
  await ended;
  const whole = output.slice(0, output.lastIndexOf("\n") + 1);
  return whole.split("\n").filter(Boolean).map(Number);
}

test(`${ROUNDS} kills between reserve and capture`, { timeout: 120_000 }, async (t) => {
  const file = join(temporaryDirectory(t), "store.db");
  const acknowledged: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    acknowledged.push(...(await runUntilKilled(file, round)));
    const store = openSqliteStore(file);
    const { books, journal } = await store.auditLedger();
    assert.deepEqual(books, journal);
    assert.equal(books.deposits + books.reserved + books.captured, DEPOSIT_WEI);
    await store.close();
  }
  const store = openSqliteStore(file);
  t.after(() => store.close());
  await advancePayments(store, []);
  const { settled } = await store.countByState();
  const { reserved, captured, overdue } = await store.books(PAYER);
  assert.deepEqual([reserved, captured, overdue], [0n, BigInt(settled) * PRICE_WEI, 0n]);
  assert.ok(settled >= acknowledged.length && acknowledged.length > ROUNDS * 10);
  for (const seq of acknowledged) assert.equal((await store.payment(seq))?.state, "captured");
});
