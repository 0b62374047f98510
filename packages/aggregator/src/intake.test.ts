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
