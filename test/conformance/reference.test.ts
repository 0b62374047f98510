/** The generated pages of docs/reference are those of this code. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { referencePages } from "../../tools/generate.ts";
import { ROOT } from "../../tools/stages.ts";

for (const [path, text] of referencePages()) {
  test(`${path} is up to date (npm run generate)`, () => {
    assert.equal(readFileSync(join(ROOT, path), "utf8"), text);
  });
}
