/** Every refusal of the REST interface is a problem (RFC 9457) with its status and code. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, call, post, proofCases, runService, TOKEN } from "../testing/fixture.ts";

const [valid] = proofCases().filter((item) => item.expected === "valid");
assert.ok(valid);
const body = (o: object = {}) => ({ proof_data: valid.proofData, chain_id: "eip155:59144", ...o });

const jsonIn = (charset: string) => ({ "content-type": `application/json; charset=${charset}` });

function binaryPost(bytes: Uint8Array<ArrayBuffer>): RequestInit {
  return { method: "POST", body: bytes, headers: { "content-type": "application/json" } };
}

type Refusal = readonly [what: string, asked: Promise<Answer>, status: number, code: string];

/** Each is answered by a problem with its status and code. */
async function refused(cases: readonly Refusal[]): Promise<void> {
  for (const [what, asked, status, code] of cases) {
    const answer = await asked;
    assert.equal(answer.status, status, what);
    assert.equal((answer.body as { code: string }).code, code, what);
    assert.match(answer.headers.get("content-type") ?? "", /^application\/problem\+json/, what);
    assert.ok(answer.headers.get("x-request-id"), what);
    if (status === 401) assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer /, what);
  }
}

const submit = "/v1/submit-proof";

test("a submission is refused by a problem with its code", async (t) => {
  const service = await runService(t);
  const noToken = { authorization: "" };
  await refused([
    ["no token", post(service, submit, body(), noToken), 401, "unauthorized"],
    ["wrong token", post(service, submit, body(), { authorization: `Bearer ${TOKEN}x` }), 401, "unauthorized"],
    ["status without token", call(service, "/status", { headers: noToken }), 401, "unauthorized"],
    ["malformed", post(service, submit, "{"), 400, "malformed-json"],
    ["empty", post(service, submit, ""), 400, "malformed-json"],
    ["not UTF-8", call(service, submit, binaryPost(Uint8Array.of(0x22, 0xff, 0x22))), 400, "malformed-json"],
    ["text", post(service, submit, "x", { "content-type": "text/plain" }), 415, "unsupported-media-type"],
    ["gzip", post(service, submit, body(), { "content-encoding": "gzip" }), 415, "unsupported-media-type"],
    [
      "coded twice",
      post(service, submit, body(), { "content-encoding": "identity, br" }),
      415,
      "unsupported-media-type",
    ],
    ["latin-1", post(service, submit, body(), jsonIn("iso-8859-1")), 415, "unsupported-media-type"],
    ["utf-16", post(service, submit, body(), jsonIn('"UTF-16"')), 415, "unsupported-media-type"],
    ["member twice", post(service, submit, '{"chain_id":"a","chain_id":"b","proof_data":"x"}'), 400, "malformed-json"],
    [
      "twice inside",
      post(service, submit, '{"proof_data":"","metadata":[{"a":1,"\\u0061":2}]}'),
      400,
      "malformed-json",
    ],
    ["no object", post(service, submit, "[]"), 422, "invalid-body"],
    ["missing", post(service, submit, {}), 422, "invalid-body"],
    ["too large", post(service, submit, `"${"a".repeat(2 * 1024 * 1024)}"`), 413, "body-too-large"],
    ["proof too large", post(service, submit, body({ proof_data: "a".repeat(2 ** 20 + 1) })), 422, "invalid-body"],
  ]);
});

test("what is not there, and what is asked wrongly, is refused by a problem with its code", async (t) => {
  const service = await runService(t);
  await refused([
    ["unknown path", call(service, "/v1/nothing"), 404, "not-found"],
    ...["PUT", "PATCH", "DELETE", "OPTIONS"].flatMap((method): Refusal[] => {
      const init = { method, headers: { "content-type": "application/json" } };
      return [
        [`${method} ${submit}`, call(service, submit, init), 405, "method-not-allowed"],
        [`${method} /v1/nowhere`, call(service, "/v1/nowhere", init), 404, "not-found"],
      ];
    }),
    ["nothing posted nowhere", post(service, "/v1/nowhere", ""), 404, "not-found"],
    ["text posted nowhere", post(service, "/x", "x", { "content-type": "text/plain" }), 404, "not-found"],
    ["unknown id", call(service, `/v1/proofs/0x${"11".repeat(32)}`), 404, "not-found"],
    ["no id", call(service, "/v1/proofs/zzz/receipt"), 404, "not-found"],
    ["bad path", call(service, "/v1/proofs/%ff"), 400, "invalid-request"],
    ["bad query", call(service, "/v1/proofs?limit=0&state=x&cursor=1"), 400, "invalid-query"],
    ...["1", "2026-11-21", "yesterday", "2026-02-30T00:00:00Z", "2026-11-21T00:00:00"].map(
      (since): Refusal => [`since ${since}`, call(service, `/v1/proofs?since=${since}`), 400, "invalid-query"],
    ),
    ["unknown commitment", call(service, `/timestamp/${"00".repeat(32)}`), 404, "not-found"],
    ["not ready without a node", call(service, "/readyz"), 503, "unavailable"],
  ]);
});
