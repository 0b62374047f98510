import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { canonicalJson, type JsonValue } from "./index.ts";

describe("canonical JSON (RFC 8785)", () => {
  it("sorts by UTF-16 units and writes numbers and strings as ECMAScript does (appendix examples)", () => {
    const sorted = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7 };
    assert.equal(canonicalJson(sorted), '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3}');
    const numbers = [Number("333333333.33333329"), 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0];
    assert.equal(canonicalJson(numbers), "[333333333.3333333,1e+30,4.5,0.002,1e-27,0]");
    assert.equal(canonicalJson('\u20ac$\u000f\nA\'B"\\\\"/'), '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"');
  });

  it("parses back to the same value, and is a fixed point", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value as JsonValue);
        assert.equal(canonicalJson(JSON.parse(text)), text);
        assert.equal(JSON.stringify(JSON.parse(text)).length, text.length);
      }),
    );
  });

  it("refuses what JSON cannot carry", () => {
    assert.throws(() => canonicalJson("\ud800"), RangeError);
    assert.throws(() => canonicalJson(Number.NaN), RangeError);
  });
});
