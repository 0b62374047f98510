import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { address, quantity } from "./codecs.ts";
import type { CallContext, CallResult } from "./context.ts";
import { createDispatcher } from "./dispatcher.ts";
import { rpcError, rpcErrors } from "./errors.ts";
import { constant, method, optional, refused, required } from "./method.ts";
import { methodTables } from "./methods/index.ts";
import { results } from "./shapes.ts";

const context: CallContext = { transport: "http", remoteAddress: "127.0.0.1", signal: new AbortController().signal };
const declare = { result: results.quantity, summary: "s", spec: "s" };
const tables = {
  eth: {
    eth_add: method({ ...declare, params: [required("a", quantity), optional("b", quantity, 1n)] }),
    eth_fail: method({ ...declare, params: [] }),
    eth_crash: method({ ...declare, params: [] }),
    eth_fixed: constant({ value: false, summary: "s", params: [required("a", address)] }),
    eth_gone: refused("gone for good"),
  },
  miner: { miner_secret: method({ ...declare, params: [], access: "private" }) },
  debug: { debug_off: constant({ value: 1, summary: "s" }) },
};
const faults: unknown[] = [];
const dispatch = createDispatcher({
  tables,
  handlers: {
    eth: {
      eth_add: ([a, b]) => JSON.stringify(String(a + b)),
      eth_fail: async () => {
        throw rpcError("reverted", { reason: "" }, '"0x"');
      },
      eth_crash: () => {
        throw new Error("secret");
      },
    },
    miner: { miner_secret: () => "1" },
  },
  namespaces: ["eth", "miner"],
  authorize: ({ authorization }) => authorization === "Bearer good",
  onFault: (error) => faults.push(error),
});
const code = async (name: string, params?: unknown): Promise<unknown> => {
  const result = await dispatch(name, params, context);
  return result.ok ? result.json : result.code;
};

test("parameters are decoded, optional ones filled in", async () => {
  assert.equal(await code("eth_add", ["0x1", "0x2"]), '"3"');
  assert.equal(await code("eth_add", ["0x1"]), '"2"');
  assert.equal(await code("eth_add", ["0x1", null]), '"2"');
});

test("what is wrong with parameters is -32602, with geth's texts", async () => {
  const message = async (params: unknown): Promise<string> => {
    const result = await dispatch("eth_add", params, context);
    assert.ok(!result.ok);
    assert.equal(result.code, -32602);
    return result.message;
  };
  assert.equal(await message(undefined), "missing value for required argument 0");
  assert.equal(await message([null]), "missing value for required argument 0");
  assert.equal(await message(["0x1", "0x2", "0x3"]), "too many arguments, want at most 2");
  assert.equal(await message(["0x01"]), "invalid argument 0: hex number with leading zero digits");
  assert.equal(await message({ a: 1 }), "non-array args");
  assert.equal(await code("eth_fixed", []), -32602);
});

test("names: unknown, refused, disabled, private", async () => {
  assert.equal(await code("eth_nope"), -32601);
  assert.equal(await code("constructor"), -32601);
  assert.equal(await code("debug_off"), -32601);
  const gone = await dispatch("eth_gone", [], context);
  assert.ok(!gone.ok && gone.code === -32601 && gone.message.endsWith("gone for good"));
  assert.equal(await code("miner_secret"), 4100);
  const allowed = await dispatch("miner_secret", [], { ...context, authorization: "Bearer good" });
  assert.deepEqual(allowed, { ok: true, json: "1" });
});

test("errors of handlers: wire errors pass, faults stay inside", async () => {
  const failed: CallResult = { ok: false, code: 3, message: "execution reverted", data: '"0x"' };
  assert.deepEqual(await dispatch("eth_fail", [], context), failed);
  assert.deepEqual(await dispatch("eth_crash", [], context), { ok: false, code: -32603, message: "internal error" });
  assert.equal(faults.length, 1);
});

test("a table row without its handler is refused at construction", () => {
  const handlers = { miner: { miner_secret: () => "1" } } as unknown;
  assert.throws(() =>
    createDispatcher({ tables, handlers: handlers as never, namespaces: ["eth"], authorize: () => true }),
  );
});

test("no call throws, whatever its name and parameters", async () => {
  const names = Object.values(methodTables).flatMap((table) => Object.keys(table));
  const all = createDispatcher({
    tables,
    handlers: {
      eth: { eth_add: () => "1", eth_fail: () => "1", eth_crash: () => "1" },
      miner: { miner_secret: () => "1" },
    },
    namespaces: ["eth", "miner", "debug"],
    authorize: () => true,
  });
  const name = fc.oneof(fc.constantFrom(...names, ...Object.keys(tables.eth), "__proto__", "toString"), fc.string());
  await fc.assert(
    fc.asyncProperty(name, fc.jsonValue({ maxDepth: 8 }), async (called, params) => {
      const result = await all(called, params, context);
      if (!result.ok) assert.notEqual(result.code, -32603);
    }),
    { numRuns: 2000 },
  );
});

test("the catalogue fills its texts", () => {
  assert.equal(rpcError("nonce-too-low", { next: 5n, got: 3n }).message, "nonce too low: next nonce 5, tx nonce 3");
  assert.equal(rpcErrors.unauthorized.code, 4100);
});
