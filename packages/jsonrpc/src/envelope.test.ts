import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { errorReply, type Message, nestsDeeper, readMessage, resultReply } from "./envelope.ts";

const limits = { jsonDepth: 16, batchItems: 3 };
const read = (text: string): Message => readMessage(text, limits);

test("ids come back as they were sent", () => {
  for (const id of ['"a"', "1", "-1.5", "null", "true", "12345678901234567890", "1e400", '"\\u0000"']) {
    const message = read(`{"jsonrpc":"2.0","id":${id},"method":"m"}`);
    assert.ok(message.kind === "single" && message.call.valid);
    assert.equal(message.call.id, id);
    const batch = read(`[{"id":${id},"jsonrpc":"2.0","method":"m","params":[{"id":7}]}]`);
    assert.ok(batch.kind === "batch");
    assert.equal(batch.calls[0]?.id, id);
  }
});

test("a request without id is a notification", () => {
  const message = read('{"jsonrpc":"2.0","method":"m","params":[1]}');
  assert.deepEqual(message, { kind: "single", call: { valid: true, id: undefined, method: "m", params: [1] } });
});

test("invalid requests keep a valid id", () => {
  const cases: [string, string][] = [
    ["{}", "null"],
    ["7", "null"],
    ["null", "null"],
    ['{"jsonrpc":"1.0","id":1,"method":"m"}', "1"],
    ['{"jsonrpc":"2.0","id":1}', "1"],
    ['{"jsonrpc":"2.0","id":1,"method":""}', "1"],
    ['{"jsonrpc":"2.0","id":1,"method":5}', "1"],
    ['{"jsonrpc":"2.0","id":{},"method":"m"}', "null"],
    ['{"jsonrpc":"2.0","id":[1],"method":"m"}', "null"],
    ['{"jsonrpc":"2.0","id":"x","method":"m","params":"p"}', '"x"'],
  ];
  for (const [text, id] of cases) {
    assert.deepEqual(read(text), { kind: "single", call: { valid: false, id } }, text);
  }
});

test("faults of the whole message", () => {
  const code = (text: string): unknown => {
    const message = read(text);
    assert.ok(message.kind === "fault", text);
    const reply: unknown = JSON.parse(message.reply);
    return reply;
  };
  assert.deepEqual(code("{"), { jsonrpc: "2.0", id: null, error: { code: -32700, message: "parse error" } });
  assert.deepEqual(code(""), { jsonrpc: "2.0", id: null, error: { code: -32700, message: "parse error" } });
  assert.deepEqual(code("[]"), { jsonrpc: "2.0", id: null, error: { code: -32600, message: "empty batch" } });
  const item = '{"jsonrpc":"2.0","id":5,"method":"m"}';
  const large = { jsonrpc: "2.0", id: 5, error: { code: -32600, message: "batch too large" } };
  assert.deepEqual(code(`[${[item, item, item, item].join()}]`), [large]);
  const deep = `{"params":${"[".repeat(16)}${"]".repeat(16)}}`;
  assert.match(JSON.stringify(code(deep)), /nested too deeply/);
});

test("depth counts brackets outside strings only", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      const depth = (value: unknown): number =>
        typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0;
      const expected = depth(JSON.parse(text));
      assert.equal(nestsDeeper(text, expected), false);
      if (expected > 0) assert.equal(nestsDeeper(text, expected - 1), true);
    }),
  );
});

test("reading never throws", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.json().map((text) => text.slice(0, -1)),
      ),
      (text) => {
        const message = read(text);
        if (message.kind === "fault") JSON.parse(message.reply);
      },
    ),
    { numRuns: 1000 },
  );
});

test("replies are valid JSON around the spliced text", () => {
  const reply: unknown = JSON.parse(resultReply('"a"', { ok: true, json: '{"x":[1]}' }));
  assert.deepEqual(reply, { jsonrpc: "2.0", id: "a", result: { x: [1] } });
  const failed: unknown = JSON.parse(errorReply("1", { code: 3, message: 'a "quoted"\ntext' }, '"0x"'));
  assert.deepEqual(failed, { jsonrpc: "2.0", id: 1, error: { code: 3, message: 'a "quoted"\ntext', data: "0x" } });
});
