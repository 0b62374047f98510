import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createIntake } from "./intake.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import { temporaryDirectory, until } from "./testing/temporary.ts";

const POLICY = { maxReceived: 1_000_000, maxWaitingCharacters: 1_000_000, commitSize: 1_000 };
const CHILD = fileURLToPath(new URL("testing/intake-child.ts", import.meta.url));

test("kill -9 during intake loses no acknowledged submission", { timeout: 60_000 }, async (t) => {
  const file = join(temporaryDirectory(t), "store.db");
  const acknowledged: string[] = [];
  for (const [round, enough] of [200, 1_500, 700].entries()) {
    const child = spawn(process.execPath, ["--conditions=cairn-source", CHILD, file, `${round}`], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    await until("submissions are acknowledged", async () => text.length > enough * 67);
    child.kill("SIGKILL");
    await once(child, "close");
    acknowledged.push(...text.split("\n").filter((line) => line.length === 66));
  }
  const store = openSqliteStore(file);
  t.after(() => store.close());
  for (const id of acknowledged) {
    const found = await store.find(`0x${id.slice(2)}`);
    assert.equal(found?.state, "received", id);
    assert.deepEqual(await store.history(found.seq), [{ state: "received", atMs: found.receivedAtMs }]);
  }
  assert.equal(new Set(acknowledged).size, acknowledged.length);
});

test("concurrent submissions share commits, the queue is bounded", async (t) => {
  const store = openSqliteStore(join(temporaryDirectory(t), "store.db"));
  t.after(() => store.close());
  let commits = 0;
  const counting = {
    ...store,
    insert: (...args: Parameters<typeof store.insert>) => {
      commits += 1;
      return store.insert(...args);
    },
  };
  const options = { environment: "sandbox", received: 0, clock: Date.now, onStored: () => {} };
  const intake = createIntake({ ...options, store: counting, policy: { ...POLICY, maxReceived: 50 } });
  const request = (n: number) => ({ account: "a", chainId: "X", proofData: `${n}` });
  const outcomes = await Promise.all(Array.from({ length: 60 }, (_, n) => intake.submit(request(n))));
  assert.equal(outcomes.filter((outcome) => outcome.ok).length, 50);
  assert.equal(commits, 1);
  assert.deepEqual(await intake.submit(request(61)), { ok: false, code: "queue-full" });
  intake.released(50);
  const again = await intake.submit({ ...request(1), chainId: "x" });
  assert.ok(again.ok && again.outcome === "duplicate");
  await intake.close();
  assert.deepEqual(await intake.submit(request(62)), { ok: false, code: "closed" });
});

test("several of one call are one transaction; what does not fit is refused alone, in order", async (t) => {
  const store = openSqliteStore(join(temporaryDirectory(t), "store.db"));
  t.after(() => store.close());
  const groups: number[] = [];
  const counting = {
    ...store,
    insert: (...args: Parameters<typeof store.insert>) => {
      groups.push(args[0].length);
      return store.insert(...args);
    },
  };
  const options = { environment: "sandbox", received: 0, clock: Date.now, onStored: () => {} };
  const intake = createIntake({ ...options, store: counting, policy: { ...POLICY, maxReceived: 12, commitSize: 4 } });
  const request = (name: string) => ({ account: "a", chainId: "X", proofData: name });
  const many = ["a", "b", "a", "c", "d", "e"].map(request);
  const [first, second] = await Promise.all([intake.submitMany(many), intake.submitMany(["f", "g"].map(request))]);
  assert.deepEqual(groups, [6, 2], "never split, whatever the size of a commit");
  assert.deepEqual(
    first.map((outcome) => outcome.ok && outcome.outcome),
    ["inserted", "inserted", "duplicate", "inserted", "inserted", "inserted"],
  );
  assert.equal(
    second.every((outcome) => outcome.ok),
    true,
  );
  const third = await intake.submitMany(Array.from({ length: 7 }, (_, n) => request(`more ${n}`)));
  assert.deepEqual(
    third.map((outcome) => (outcome.ok ? "ok" : outcome.code)),
    [...Array(5).fill("ok"), "queue-full", "queue-full"],
  );
  assert.deepEqual(await intake.submitMany([]), []);
  const payment = {
    payer: `0x${"aa".repeat(20)}`,
    mode: "mock",
    plan: "p",
    priceWei: 5n,
    quotedFor: undefined,
  } as const;
  const poor = { ok: false, code: "insufficient-balance", requiredWei: 5n, availableWei: 0n };
  assert.deepEqual(await intake.submit({ ...request("poor"), payment }), poor, "told before that the queue is full");
  await store.mockDeposit({ payer: payment.payer, amountWei: 5n }, 1);
  assert.deepEqual(await intake.submit({ ...request("paying"), payment }), { ok: false, code: "queue-full" });
});

test("what the verifier took before its commit was told here is not counted for ever", async (t) => {
  const store = openSqliteStore(join(temporaryDirectory(t), "store.db"));
  t.after(() => store.close());
  const ahead = {
    ...store,
    insert: async (...args: Parameters<typeof store.insert>) => {
      const outcomes = await store.insert(...args);
      intake.released(outcomes.length);
      return outcomes;
    },
  };
  const o = { environment: "sandbox" as const, policy: POLICY, received: 0, clock: () => 1, onStored: () => {} };
  const intake = createIntake({ store: ahead, ...o });
  for (let i = 0; i < 3; i += 1) {
    await intake.submit({ account: "a", chainId: "c", proofData: `${i}` });
  }
  await intake.close();
  assert.equal(intake.waiting(), 0);
});
