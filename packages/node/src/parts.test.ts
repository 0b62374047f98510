import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createParts } from "./parts.ts";

function recorder() {
  const said: string[] = [];
  const say = (_: object, message: string) => {
    said.push(message);
  };
  return { said, log: { debug: say, info: say, warn: say, error: say } };
}

describe("parts of a node", () => {
  it("close in the reverse order, once", async () => {
    const order: string[] = [];
    const parts = createParts(recorder().log);
    for (const name of ["a", "b", "c"]) {
      await parts.open(name, () => ({ close: async () => void order.push(name) }));
    }
    await Promise.all([parts.close(), parts.close()]);
    assert.deepEqual(order, ["c", "b", "a"]);
  });

  it("go on closing past one that fails or never ends", async () => {
    const { said, log } = recorder();
    const parts = createParts(log, 50);
    let first = false;
    await parts.open("first", () => ({
      close: async () => {
        first = true;
      },
    }));
    await parts.open("stuck", () => ({ close: () => new Promise<void>(() => undefined) }));
    await parts.open("broken", () => ({ close: () => Promise.reject(new Error("broken")) }));
    await parts.close();
    assert.ok(first);
    assert.deepEqual(said, ["failed to close", "did not close in time; left behind"]);
  });

  it("hand on why a part did not open", async () => {
    const parts = createParts(recorder().log);
    await assert.rejects(
      parts.open("x", () => Promise.reject(new RangeError("no"))),
      RangeError,
    );
    await parts.close();
  });
});
