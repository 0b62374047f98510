import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { isOperator } from "./operator-auth.ts";

const jwtSecret = randomBytes(32);
const nowMs = 1_700_000_000_000;
const secrets = { token: "cairn_op_secret", jwtSecret, nowMs: () => nowMs };

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

function jwt(claims: unknown, { alg = "HS256", secret = jwtSecret } = {}): string {
  const body = `${encode({ alg, typ: "JWT" })}.${encode(claims)}`;
  return `Bearer ${body}.${createHmac("sha256", secret).update(body).digest("base64url")}`;
}

describe("operator authorization", () => {
  it("takes the operator token as bearer", () => {
    assert.ok(isOperator("Bearer cairn_op_secret", secrets));
    assert.ok(isOperator("bearer  cairn_op_secret", secrets));
    assert.ok(!isOperator("Bearer cairn_op_secreT", secrets));
    assert.ok(!isOperator("Basic cairn_op_secret", secrets));
    assert.ok(!isOperator("cairn_op_secret", secrets));
    assert.ok(!isOperator("", secrets));
  });

  it("takes a fresh HS256 token of the node's secret", () => {
    assert.ok(isOperator(jwt({ iat: nowMs / 1000 }), secrets));
    assert.ok(isOperator(jwt({ iat: nowMs / 1000 - 60 }), secrets));
    assert.ok(isOperator(jwt({ iat: nowMs / 1000 + 60, extra: 1 }), secrets));
  });

  it("refuses stale, foreign, unsigned or broken tokens", () => {
    assert.ok(!isOperator(jwt({ iat: nowMs / 1000 - 61 }), secrets));
    assert.ok(!isOperator(jwt({ iat: nowMs / 1000 + 61 }), secrets));
    assert.ok(!isOperator(jwt({}), secrets));
    assert.ok(!isOperator(jwt({ iat: "1700000000" }), secrets));
    assert.ok(!isOperator(jwt({ iat: nowMs / 1000 }, { secret: randomBytes(32) }), secrets));
    assert.ok(!isOperator(jwt({ iat: nowMs / 1000 }, { alg: "none" }), secrets));
    assert.ok(!isOperator(`Bearer ${encode({ alg: "none" })}.${encode({ iat: nowMs / 1000 })}.`, secrets));
    assert.ok(!isOperator("Bearer a.b.c", secrets));
    assert.ok(!isOperator("Bearer ..", secrets));
  });
});
