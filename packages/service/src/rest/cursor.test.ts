import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { createCursors } from "./cursor.ts";

const cursors = createCursors(randomBytes(32));
const row = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

test("a cursor comes back for its listing, and for no other", () => {
  fc.assert(
    fc.property(row, fc.string(), fc.string(), (before, listing, other) => {
      const cursor = cursors.encode(listing, before);
      assert.match(cursor, /^[\w-]{32}$/);
      assert.equal(cursors.decode(listing, cursor), before);
      if (other !== listing) assert.equal(cursors.decode(other, cursor), undefined);
      assert.equal(createCursors(randomBytes(32)).decode(listing, cursor), undefined);
    }),
  );
});

test("what was changed or made up is no cursor", () => {
  fc.assert(
    fc.property(row, fc.nat({ max: 31 }), fc.base64String(), (before, at, madeUp) => {
      const cursor = cursors.encode("x", before);
      const other = cursor[at] === "A" ? "B" : "A";
      assert.equal(cursors.decode("x", cursor.slice(0, at) + other + cursor.slice(at + 1)), undefined);
      assert.equal(cursors.decode("x", madeUp), undefined);
      assert.equal(cursors.decode("x", `${cursor}=`), undefined);
    }),
  );
});
