import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { apiKeyDigest, createApiKey, type Environment, matchesDigest, parseApiKey } from "./api-key.ts";

const anyEnvironment = fc.constantFrom<Environment>("sandbox", "production");
const anyKey = fc
  .tuple(anyEnvironment, fc.uint8Array({ minLength: 6, maxLength: 6 }), fc.uint8Array({ minLength: 24, maxLength: 24 }))
  .map(([environment, id, secret]) => createApiKey(environment, (bytes) => (bytes === 6 ? id : secret)));

test("a key says its environment and its id, and 192 bits of it are secret", () => {
  const asked: number[] = [];
  const key = createApiKey("production", (bytes) => {
    asked.push(bytes);
    return new Uint8Array(bytes).fill(0xab);
  });
  assert.deepEqual(asked, [6, 24]);
  assert.match(key.text, /^cairn_live_abababababab_(ab){24}[0-9a-f]{8}$/);
  assert.match(createApiKey("sandbox", randomBytes).text, /^cairn_sbx_/);
});

test("what is made is read back; the digest knows its key and no other", () => {
  fc.assert(
    fc.property(anyKey, anyKey, (key, other) => {
      assert.deepEqual(parseApiKey(key.text), key);
      assert.equal(matchesDigest(key, apiKeyDigest(key)), true);
      assert.equal(matchesDigest(key, apiKeyDigest(other)), key.text === other.text);
    }),
  );
});

test("a key with one character changed, lost or added is none", () => {
  const character = fc.constantFrom(..."0123456789abcdefxyz_ABCDEF-. ");
  fc.assert(
    fc.property(anyKey, fc.nat(), character, (key, at, put) => {
      const place = at % key.text.length;
      const [head, tail] = [key.text.slice(0, place), key.text.slice(place)];
      if (tail[0] !== put) assert.equal(parseApiKey(head + put + tail.slice(1)), undefined);
      assert.equal(parseApiKey(head + tail.slice(1)), undefined);
      assert.equal(parseApiKey(head + put + tail), undefined);
    }),
  );
});

test("any other text is none", () => {
  fc.assert(fc.property(fc.string(), (text) => assert.equal(parseApiKey(text), undefined)));
  fc.assert(fc.property(anyKey, (key) => assert.equal(parseApiKey(key.text.toUpperCase()), undefined)));
  fc.assert(fc.property(anyKey, (key) => assert.equal(parseApiKey(`${key.text}\n`), undefined)));
});

test("a digest that is absent, short or long matches nothing", () => {
  const key = createApiKey("sandbox", randomBytes);
  const digest = apiKeyDigest(key);
  for (const stored of [undefined, new Uint8Array(), digest.subarray(1), new Uint8Array(33), new Uint8Array(32)]) {
    assert.equal(matchesDigest(key, stored), false);
  }
});
