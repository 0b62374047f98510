import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import { verifyWebhook, type WebhookInput, type WebhookRefusalCode, WebhookRefused } from "./index.ts";

const key = randomBytes(32);
const secret = `whsec_${key.toString("base64")}`;
const nowMs = 1_800_000_000_000;
const body = JSON.stringify({ type: "submission.final", data: { id: "0x01", note: "ä" } });

/** Signed with Node's own HMAC, as the specification's text says. */
function signed(o: { id?: string; seconds?: number; body?: string; with?: Buffer } = {}): WebhookInput {
  const id = o.id ?? "msg_1";
  const seconds = o.seconds ?? nowMs / 1_000;
  const mac = createHmac("sha256", o.with ?? key)
    .update(`${id}.${seconds}.${o.body ?? body}`)
    .digest("base64");
  const headers = { "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": `v1,${mac}` };
  return { body: o.body ?? body, headers, secret, nowMs };
}

const refused = (code: WebhookRefusalCode) => (error: unknown) =>
  error instanceof WebhookRefused && error.code === code;

test("a signed webhook gives its event, as text and as bytes", async () => {
  const expected = { id: "msg_1", signedAtMs: nowMs, event: JSON.parse(body) };
  assert.deepEqual(await verifyWebhook(signed()), expected);
  assert.deepEqual(await verifyWebhook({ ...signed(), body: new TextEncoder().encode(body) }), expected);
  const input = signed();
  assert.deepEqual(await verifyWebhook({ ...input, headers: new Headers(input.headers as never) }), expected);
});

test("the specification's own example holds", async () => {
  const example = {
    body: '{"test": 2432232314}',
    headers: {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    },
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    nowMs: 1_614_265_330_000,
  };
  assert.deepEqual((await verifyWebhook(example)).event, { test: 2432232314 });
});

test("while a secret is rotated either side may hold several", async () => {
  const other = randomBytes(32);
  const both = { ...signed(), secret: [`whsec_${other.toString("base64")}`, secret] };
  assert.equal((await verifyWebhook(both)).id, "msg_1");
  const input = signed();
  const signatures = `v1a,AAAA v1,${other.toString("base64")} ${String((input.headers as Record<string, string>)["webhook-signature"])}`;
  const headers = { ...input.headers, "webhook-signature": signatures } as Record<string, string>;
  assert.equal((await verifyWebhook({ ...input, headers })).id, "msg_1");
});

test("whatever is changed is refused with its code", async () => {
  const input = signed();
  const headers = input.headers as Record<string, string>;
  const without = (name: string) => ({ ...input, headers: { ...headers, [name]: undefined } });
  for (const name of Object.keys(headers))
    await assert.rejects(verifyWebhook(without(name)), refused("missing-header"));
  const mismatch = refused("signature-mismatch");
  await assert.rejects(verifyWebhook({ ...input, body: `${body} ` }), mismatch);
  await assert.rejects(verifyWebhook({ ...input, headers: { ...headers, "webhook-id": "msg_2" } }), mismatch);
  await assert.rejects(verifyWebhook(signed({ with: randomBytes(32) })), mismatch);
  await assert.rejects(verifyWebhook({ ...input, headers: { ...headers, "webhook-signature": "v1,!!" } }), mismatch);
  const late = refused("timestamp-out-of-tolerance");
  await assert.rejects(verifyWebhook(signed({ seconds: nowMs / 1_000 - 301 })), late);
  await assert.rejects(verifyWebhook(signed({ seconds: nowMs / 1_000 + 301 })), late);
  const odd = { ...headers, "webhook-timestamp": "1e9" };
  await assert.rejects(verifyWebhook({ ...input, headers: odd }), refused("malformed-header"));
  for (const bad of ["secret", "whsec_short", `whsec_${"A".repeat(8)}`]) {
    await assert.rejects(verifyWebhook({ ...input, secret: bad }), refused("malformed-secret"));
  }
});
