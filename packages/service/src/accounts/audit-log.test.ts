import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { type Database, openDatabase } from "@cairn/aggregator";
import { hexToBytes } from "@cairn/primitives";
import fc from "fast-check";
import { temporaryHome } from "../testing/fixture.ts";
import { appendAudit, auditEntries, isAudited, verifyAudit } from "./audit-log.ts";
import { MIGRATIONS } from "./migrations.ts";

const event = (subject: string) => ({ actor: "ann", action: "key-issued", subject, detail: { n: subject } }) as const;

function filled(file: string, entries: number): Database {
  const database = openDatabase(file, MIGRATIONS);
  for (let n = 1; n <= entries; n += 1) database.transaction(() => appendAudit(database, event(`k${n}`), n * 1_000));
  return database;
}

test("entries are read back newest first, and the chain holds", (t) => {
  const database = filled(join(temporaryHome(t), "accounts.db"), 3);
  t.after(() => database.close());
  assert.deepEqual(verifyAudit(openNone(t)), { ok: true, entries: 0, head: undefined });
  const entries = auditEntries(database, { limit: 2 });
  assert.deepEqual(
    entries.map(({ seq, atMs, actor, action, subject, detail }) => ({ seq, atMs, actor, action, subject, detail })),
    [
      { seq: 3, atMs: 3_000, actor: "ann", action: "key-issued", subject: "k3", detail: { n: "k3" } },
      { seq: 2, atMs: 2_000, actor: "ann", action: "key-issued", subject: "k2", detail: { n: "k2" } },
    ],
  );
  assert.deepEqual(verifyAudit(database), { ok: true, entries: 3, head: entries[0]?.hash });
  assert.equal(isAudited(database, hexToBytes(entries[1]?.hash ?? "0x")), true);
  assert.equal(isAudited(database, new Uint8Array(32)), false);
});

function openNone(t: Parameters<typeof temporaryHome>[0]): Database {
  const database = openDatabase(join(temporaryHome(t), "accounts.db"), MIGRATIONS);
  t.after(() => database.close());
  return database;
}

test("entries cannot be changed or removed through SQL", (t) => {
  const database = filled(join(temporaryHome(t), "accounts.db"), 2);
  t.after(() => database.close());
  for (const sql of ["DELETE FROM audit", "UPDATE audit SET actor = 'eve' WHERE seq = 1"]) {
    assert.throws(() => database.run(sql), /only grows/);
  }
  assert.equal(verifyAudit(database).ok, true);
});

test("whoever alters the file is found out at the entry altered", (t) => {
  const columns = fc.constantFrom("at", "actor", "action", "subject", "detail", "hash");
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), columns, (seq, column) => {
      const file = join(temporaryHome(t), "accounts.db");
      filled(file, 6).close();
      const raw = new DatabaseSync(file);
      raw.exec("DROP TRIGGER audit_fixed");
      const value = column === "hash" ? "zeroblob(32)" : column === "at" ? "at + 1" : `${column} || 'x'`;
      raw.exec(`UPDATE audit SET ${column} = ${value} WHERE seq = ${seq}`);
      raw.close();
      const database = openDatabase(file, MIGRATIONS);
      assert.deepEqual(verifyAudit(database), { ok: false, seq });
      database.close();
    }),
    { numRuns: 12 },
  );
});

test("an entry removed in the middle is found out", (t) => {
  const file = join(temporaryHome(t), "accounts.db");
  filled(file, 3).close();
  const raw = new DatabaseSync(file);
  raw.exec("DROP TRIGGER audit_kept; DELETE FROM audit WHERE seq = 2");
  raw.close();
  const database = openDatabase(file, MIGRATIONS);
  t.after(() => database.close());
  assert.deepEqual(verifyAudit(database), { ok: false, seq: 2 });
});
