import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import {
  accessRequestSchema,
  createWebhookSchema,
  decodeBatch,
  decodeBody,
  faultsSchema,
  mineSchema,
  type Route,
  replaySchema,
  restRoutes,
  submitProofSchema,
  verificationKeyBodySchema,
  walletSchema,
} from "./index.ts";

function faults(schema: z.ZodObject, body: unknown): readonly string[] {
  const decoded = decodeBody(schema, body);
  return decoded.ok ? [] : decoded.errors.map(({ pointer, code, detail }) => `${pointer} ${code}: ${detail}`);
}

const request = { organisation: "o", contact: "c", chain_ids: ["1"] };
const key = { system: "groth16", encoding: "snarkjs-json", vk: {} };
const submission = { proof_data: "p", chain_id: "1" };

/** What each kind of schema says of each way to miss it. */
const WORDINGS: readonly (readonly [schema: z.ZodObject, body: unknown, said: string])[] = [
  [submitProofSchema, null, " type: must be an object"],
  [submitProofSchema, [], " type: must be an object"],
  [submitProofSchema, { proof_data: "p" }, "/chain_id required: is required"],
  [submitProofSchema, { ...submission, proof_data: 5 }, "/proof_data type: must be a string"],
  [submitProofSchema, { ...submission, proof_data: [] }, "/proof_data type: must be a string"],
  [submitProofSchema, { ...submission, proof_data: "" }, "/proof_data invalid: must not be empty"],
  [
    submitProofSchema,
    { ...submission, external_id: "x".repeat(129) },
    "/external_id invalid: has more than 128 characters",
  ],
  [submitProofSchema, { ...submission, block_number: null }, "/block_number type: must be a string"],
  [accessRequestSchema, { ...request, chain_ids: "1" }, "/chain_ids type: must be an array"],
  [accessRequestSchema, { ...request, chain_ids: [1] }, "/chain_ids/0 type: must be a string"],
  [accessRequestSchema, { ...request, expected_per_day: "1" }, "/expected_per_day type: must be a number"],
  [accessRequestSchema, { ...request, expected_per_day: 1.5 }, "/expected_per_day type: must be a whole number"],
  [accessRequestSchema, { ...request, expected_per_day: 0 }, "/expected_per_day invalid: must be at least 1"],
  [
    accessRequestSchema,
    { ...request, expected_per_day: 1e99 },
    "/expected_per_day invalid: must be at most 1,000,000,000",
  ],
  [accessRequestSchema, { ...request, message: "x".repeat(2_049) }, "/message invalid: has more than 2,048 characters"],
  [faultsSchema, { refuse_payment: "yes" }, "/refuse_payment type: must be true or false"],
  [mineSchema, { count: 101 }, "/count invalid: must be at most 100"],
  [replaySchema, { dead: false }, "/dead invalid: must be true"],
  [verificationKeyBodySchema, { ...key, vk: 5 }, "/vk type: must be a string or an object"],
  [verificationKeyBodySchema, { ...key, system: "" }, "/system invalid: must not be empty"],
  [walletSchema, { address: "0x" }, "/address invalid: must be an address of 20 bytes in 0x-hex"],
  [z.object({ one: z.enum(["a", "b"]) }), { one: "c" }, "/one invalid: must be one of a, b"],
  [z.object({ one: z.literal("a") }), { one: "c" }, "/one invalid: must be a"],
  [z.object({ one: z.record(z.string(), z.json()) }), { one: [] }, "/one type: must be an object"],
  [z.object({ one: z.string().min(2) }), { one: "c" }, "/one invalid: has fewer than 2 characters"],
  [z.object({ one: z.array(z.json()).min(2).max(3) }), { one: [1] }, "/one invalid: has fewer than 2 items"],
  [z.object({ one: z.array(z.json()).min(1).max(3) }), { one: [1, 2, 3, 4] }, "/one invalid: has more than 3 items"],
  [z.object({ one: z.email() }), { one: "c" }, "/one invalid: has a wrong form"],
  [z.object({ one: z.null() }), { one: "c" }, "/one type: must be null"],
];

for (const [schema, body, said] of WORDINGS) {
  test(`${JSON.stringify(body)?.slice(0, 60)} is told: ${said}`, () => assert.deepEqual(faults(schema, body), [said]));
}

test("a wrong event type is told those there are, an empty list stands for all", () => {
  const [said] = faults(createWebhookSchema, { url: "https://x", events: ["submission.lost"] });
  assert.match(said ?? "", /^\/events\/0 invalid: must be one of submission\.received, submission\.verified, /);
  assert.deepEqual(faults(createWebhookSchema, { url: "https://x", events: [] }), []);
});

/** Values that miss every kind of schema in some way. */
const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, 1, -1, 1.5, 1e99, "", "x", "\ud800", "x".repeat(5_000)],
  ...[[], [1], [[]], [null], Array.from({ length: 50 }, () => "1"), {}, { a: 1 }, { a: { b: null } }],
];

/** A sentence about the member: never a validator's own words. */
const SENTENCE = /^(?:must|has|is|names|needs) [a-z0-9]/;
const NOT_OURS = /invalid|expected|too (?:big|small)|undefined|NaN|\ba (?:object|array|int|[aeio]\w*)\b|[|"`]/i;

test("every member of every body is refused in plain words, each with one sentence", () => {
  const schemas = Object.values<Route>(restRoutes).flatMap(({ body }) => (body === undefined ? [] : [body]));
  assert.ok(schemas.length >= 12);
  for (const schema of schemas) {
    const members = Object.keys(schema.shape).flatMap((name) => VALUES.map((value) => ({ [name]: value })));
    for (const body of [...VALUES, ...members]) {
      const decoded = decodeBody(schema, body);
      if (decoded.ok) continue;
      for (const { detail } of decoded.errors) {
        assert.match(detail, SENTENCE);
        assert.doesNotMatch(detail, NOT_OURS);
      }
      assert.equal(new Set(decoded.errors.map(({ pointer }) => pointer)).size, decoded.errors.length);
    }
  }
});

test("a batch of items is refused in the same words", () => {
  const said = (body: unknown) => {
    const decoded = decodeBatch(body);
    return decoded.ok ? "" : `${decoded.errors[0]?.pointer} ${decoded.errors[0]?.detail}`;
  };
  assert.equal(said([]), " must be an object");
  assert.equal(said({}), "/items is required");
  assert.equal(said({ items: {} }), "/items must be an array");
  assert.equal(said({ items: [] }), "/items must not be empty");
  assert.equal(said({ items: Array.from({ length: 1_001 }, () => 1) }), "/items has more than 1,000 items");
});
