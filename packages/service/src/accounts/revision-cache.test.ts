import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createRevisionCache } from "./revision-cache.ts";

test("a read never answers what was before the last change, for any sequence", () => {
  const step = fc.oneof(
    fc.record({ write: fc.constantFrom("a", "b"), isOwn: fc.boolean() }),
    fc.record({ read: fc.constantFrom("a", "b", "c") }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (steps, maxEntries) => {
      const file = new Map<string, number>();
      let revision = 0;
      let reads = 0;
      const read = (key: string): number | undefined => {
        reads += 1;
        return file.get(key);
      };
      const cache = createRevisionCache({ revision: () => revision, read, maxEntries });
      for (const [index, next] of steps.entries()) {
        if ("read" in next) {
          assert.equal(cache.get(next.read), file.get(next.read));
          continue;
        }
        file.set(next.write, index);
        if (next.isOwn) cache.clear();
        else revision += 1;
      }
      assert.ok(reads <= steps.length);
    }),
  );
});

test("what is known is not read again", () => {
  let reads = 0;
  const cache = createRevisionCache({ revision: () => 1, read: () => (reads += 1) });
  for (let n = 0; n < 5; n += 1) assert.equal(cache.get("a"), 1);
});
