import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { EntryStopped } from "../block-source.ts";
import { createCursorFile } from "./cursor-file.ts";

test("the cursor file holds one decimal number and nothing else stays behind", () => {
  const dir = mkdtempSync(join(tmpdir(), "cursor-"));
  const cursor = createCursorFile(dir, "mint");
  assert.equal(cursor.read(), undefined);
  cursor.write(41n);
  cursor.write(42n);
  assert.equal(cursor.read(), 42n);
  assert.equal(readFileSync(join(dir, "mint-block.txt"), "utf8"), "42\n");
  assert.deepEqual(readdirSync(dir), ["mint-block.txt"]);
});

for (const damaged of ["", "12a", "-1", "0x10", "1\n2"]) {
  test(`a damaged file (${JSON.stringify(damaged)}) stops the entry`, () => {
    const dir = mkdtempSync(join(tmpdir(), "cursor-"));
    writeFileSync(join(dir, "mint-block.txt"), damaged);
    assert.throws(() => createCursorFile(dir, "mint").read(), EntryStopped);
  });
}
