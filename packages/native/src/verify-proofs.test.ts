import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyProofs } from "./facade.ts";

test("a submission that is no proof has a verdict with a code, in the order asked", async () => {
  const verdicts = await verifyProofs(["", "{", '{"a":1}', "[]"]);
  assert.equal(verdicts.length, 4);
  for (const verdict of verdicts) {
    assert.ok(!verdict.ok);
    assert.ok(["malformed", "unrecognised-format"].includes(verdict.code), verdict.code);
    assert.ok(verdict.detail.length > 0);
  }
  assert.deepEqual(await verifyProofs([]), []);
});
