/** The query language against recorded answers of a real node, and matching by example. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { readRecording } from "../test-support/recorded-engine.ts";
import { parseQuery, QueryError } from "./query.ts";
import { compareDecimals, queryMatches, type Tags } from "./query-match.ts";

interface Message {
  method?: string;
  params?: { query?: unknown };
}

function errorOf(query: string): string {
  try {
    parseQuery(query);
    return "";
  } catch (error) {
    assert.ok(error instanceof QueryError);
    return error.message;
  }
}

function recordedErrors(): [string, string][] {
  const found: [string, string][] = [];
  for (const { name, request, template, response } of readRecording<{
    name: string;
    request?: { messages: Message[] };
    template: { messages: Message[] };
    response: { frames: { error?: { data: string } }[] };
  }>("subscribe.jsonl")) {
    const query = (request ?? template).messages[0]?.params?.query;
    if (!name.startsWith("ws/bad-query") || typeof query !== "string") continue;
    found.push([query, (response.frames[0]?.error?.data ?? "").replace("failed to parse query: ", "")]);
  }
  for (const { name, request, template, response } of readRecording<{
    name: string;
    request?: { body: Message };
    template: { body: Message };
    response: { body: { error?: { data: string } } };
  }>("matrix-tx_search.jsonl")) {
    const query = (request ?? template).body?.params?.query;
    if (!/\/(bad|good)-/.test(name) || typeof query !== "string") continue;
    const data = response.body.error?.data ?? "";
    found.push([query, data.startsWith("error during") ? "" : data]);
  }
  return found;
}

describe("query language", () => {
  it("parses and refuses as the recorded node", () => {
    const recorded = recordedErrors();
    assert.ok(recorded.length > 60);
    for (const [query, error] of recorded) assert.equal(errorOf(query), error, JSON.stringify(query));
  });

  it("has a normal form", () => {
    const normal = (query: string): string => parseQuery(query).text;
    assert.equal(normal("a.b='x'  AND c.d>=5 AND e EXISTS"), "a.b = 'x' AND c.d >= 5 AND e EXISTS");
    assert.equal(normal("a.b CONTAINS 'x'"), "a.b CONTAINS 'x'");
    assert.equal(normal("a<TIME 2020-01-02T03:04:05Z"), "a < TIME 2020-01-02T03:04:05Z");
  });

  it("takes the specification's bare hex values", () => {
    const hash = `0x${"a1".repeat(32)}`;
    assert.equal(parseQuery(`ethereum_tx.ethereumTxHash=${hash}`).text, `ethereum_tx.ethereumTxHash = '${hash}'`);
    assert.equal(
      parseQuery(`tm.event='Tx' AND ethereum.recipient = 0xAb AND tx.height>1`).text,
      "tm.event = 'Tx' AND ethereum.recipient = '0xAb' AND tx.height > 1",
    );
    assert.equal(parseQuery(`tx.hash=${"ab".repeat(32)}`).text, `tx.hash = '${"ab".repeat(32)}'`);
    assert.equal(errorOf("a.b=0xzz"), "offset 5: got tag, want 6");
  });

  it("prints what it parses, so that the normal form parses to itself", () => {
    const tag = fc.stringMatching(/^[a-z_][a-z0-9._-]{0,8}$/);
    const argument = fc.oneof(
      fc.stringMatching(/^[^']{0,8}$/).map((text) => `'${text}'`),
      fc.stringMatching(/^[0-9]{1,9}(\.[0-9]{1,3})?$/),
    );
    const condition = fc.oneof(
      fc.tuple(tag, argument).map(([key, value]) => `${key} = ${value}`),
      tag.map((key) => `${key} EXISTS`),
    );
    fc.assert(
      fc.property(fc.array(condition, { minLength: 1, maxLength: 4 }), (conditions) => {
        const { text } = parseQuery(conditions.join(" AND "));
        assert.equal(parseQuery(text).text, text);
      }),
    );
  });

  it("answers any text with a query or a QueryError", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => void errorOf(text)));
  });
});

describe("matching", () => {
  const tags: Tags = new Map([
    ["app.key", ["k1", "v1"]],
    ["app.amount", ["8atom", "x"]],
    ["app.at", ["2020-05-06T07:08:09.5Z"]],
    ["tx.height", ["5"]],
  ]);
  const cases: [string, boolean][] = [
    ["app.key='k1'", true],
    ["app.key='k1' AND app.key='v1'", true],
    ["app.key='k'", false],
    ["app.key CONTAINS 'k'", true],
    ["app.amount=8", true],
    ["app.amount=8.0", true],
    ["app.amount>8", false],
    ["app.amount>=7.9 AND tx.height<6", true],
    ["tx.height='5'", true],
    ["tx.height=5.5", false],
    ["app.at>TIME 2020-05-06T07:08:09Z", true],
    ["app.at<DATE 2020-05-07", false],
    ["app EXISTS", true],
    ["ap EXISTS", false],
    ["app.key EXISTS", true],
    ["app.nope EXISTS", false],
  ];
  for (const [query, expected] of cases) {
    it(`${query} is ${expected}`, () => assert.equal(queryMatches(parseQuery(query), tags), expected));
  }

  it("matches nothing without attributes", () => {
    assert.equal(queryMatches(parseQuery("a EXISTS"), new Map()), false);
  });

  it("compares decimals of any length", () => {
    assert.equal(compareDecimals("99999999999999999999999", "99999999999999999999998.9"), 1);
    assert.equal(compareDecimals("5.", "5.00"), 0);
    assert.equal(compareDecimals("05", "6"), -1);
  });
});
