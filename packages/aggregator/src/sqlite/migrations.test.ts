import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { temporaryDirectory } from "../testing/temporary.ts";
import { MIGRATIONS } from "./migrations.ts";
import { openSqliteStore } from "./sqlite-store.ts";

/** The schema's text, as SQLite keeps it. */
function schemaOf(file: string): readonly unknown[] {
  const database = new DatabaseSync(file);
  const rows = database.prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").all();
  database.close();
  return rows;
}

for (const [version] of MIGRATIONS.entries()) {
  test(`a store of version ${version} opens, keeps what it has, and ends with today's schema`, async (t) => {
    const dir = temporaryDirectory(t);
    const file = join(dir, "old.db");
    const old = new DatabaseSync(file);
    for (const sql of MIGRATIONS.slice(0, version)) old.exec(sql);
    old.exec(`PRAGMA user_version = ${version}`);
    if (version > 0) old.exec("INSERT INTO settings (key, value) VALUES ('probe', 'kept')");
    old.close();
    const store = openSqliteStore(file);
    assert.equal(await store.setting("probe"), version > 0 ? "kept" : undefined);
    await store.close();
    const fresh = join(dir, "fresh.db");
    await openSqliteStore(fresh).close();
    assert.deepEqual(schemaOf(file), schemaOf(fresh));
  });
}
