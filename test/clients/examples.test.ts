/**
 * The examples of the reference pages hold: each is made again on a live node, its answer fits the schema that the
 * OpenRPC document served by that node states, and has the form of the recorded one.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { MethodExamples } from "@cairn/api";
import { Ajv2020 } from "ajv/dist/2020.js";
import { EXAMPLES } from "../../tools/generate.ts";
import { type MadeCall, makeExampleCalls } from "./example-calls.ts";
import { type LiveNode, startLiveNode } from "./live-node.ts";

interface Described {
  readonly name: string;
  readonly result: { readonly schema: object };
}

const recorded: MethodExamples = JSON.parse(readFileSync(EXAMPLES, "utf8"));
let node: LiveNode;
let calls: readonly MadeCall[];
let methods: readonly Described[];
before(async () => {
  node = await startLiveNode();
  calls = await makeExampleCalls(node);
  const { result } = await node.call("rpc_discover");
  methods = (result as { methods: readonly Described[] }).methods;
});
after(() => node.close());

/** The names and kinds of a JSON value, without its contents; of an array the first member's. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(formOf);
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  const keys = Object.keys(value).sort();
  // A pool's or proof's members are named by what they hold.
  return Object.fromEntries(keys.map((key) => [/^0x/.test(key) ? "0x" : key, formOf(Reflect.get(value, key))]));
}

test("every example's answer fits the schema of the served OpenRPC document", () => {
  const ajv = new Ajv2020({ strict: false, addUsedSchema: false });
  assert.ok(calls.length > 50);
  for (const { method, result } of calls) {
    const described = methods.find(({ name }) => name === method);
    assert.ok(described, method);
    const validate = ajv.compile(described.result.schema);
    assert.ok(validate(result), `${method}: ${JSON.stringify(validate.errors?.slice(0, 2))} ${JSON.stringify(result)}`);
  }
});

/** Whether the pool holds something is a matter of the moment. */
const POOL_CONTENT = new Set(["txpool_content", "txpool_inspect"]);
const membersOf = (value: unknown): readonly string[] => Object.keys(value ?? {}).sort();

test("every recorded example has the form that the node answers now", () => {
  assert.deepEqual(Object.keys(recorded).sort(), calls.map(({ method }) => method).sort());
  for (const { method, params, result } of calls) {
    assert.deepEqual(formOf(recorded[method]?.params), formOf(params), method);
    const form = POOL_CONTENT.has(method) ? membersOf : formOf;
    assert.deepEqual(form(recorded[method]?.result), form(result), method);
  }
});

test("rpc_discover and rpc.discover serve the same document, without refused names", async () => {
  const [one, other] = await Promise.all([node.call("rpc_discover"), node.call("rpc.discover")]);
  assert.deepEqual(one, other);
  assert.ok(!methods.some(({ name }) => name === "eth_compileLLL"));
});
