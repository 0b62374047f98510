import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createIntake } from "../intake.ts";
import { temporaryDirectory } from "../testing/temporary.ts";
import { openDatabase, StoreUnavailableError } from "./database.ts";
import { MIGRATIONS } from "./migrations.ts";
import { storeOn } from "./sqlite-store.ts";

test("a full disk refuses whole groups and takes them once there is room", async (t) => {
  const database = openDatabase(join(temporaryDirectory(t), "store.db"), MIGRATIONS);
  const store = storeOn(database);
  t.after(() => store.close());
  const policy = { maxReceived: 100, maxWaitingCharacters: 10_000_000, commitSize: 10 };
  const onStored = () => {};
  const intake = createIntake({ store, environment: "sandbox", policy, received: 0, clock: Date.now, onStored });
  const submit = (name: string, size: number) =>
    intake.submit({ account: "sandbox", chainId: "test", proofData: name.repeat(size) });
  const pages = database.get("PRAGMA page_count")?.page_count;
  database.get(`PRAGMA max_page_count = ${Number(pages) + 8}`);
  const group = ["a", "b", "c"];
  const refused = await Promise.allSettled(group.map((name) => submit(name, 20_000)));
  for (const outcome of refused) {
    assert.ok(outcome.status === "rejected" && outcome.reason instanceof StoreUnavailableError);
    assert.match(outcome.reason.message, /disk full/);
  }
  assert.equal((await store.countByState()).received, 0, "nothing of the group remains");
  assert.equal(intake.waiting(), 0);
  database.get("PRAGMA max_page_count = 1000000");
  for (const name of group) assert.equal((await submit(name, 20_000)).ok, true);
  assert.equal((await store.countByState()).received, 3);
  assert.throws(
    () => database.run("INSERT INTO nowhere VALUES (1)"),
    (error) => !(error instanceof StoreUnavailableError),
  );
});
