/** The packages for browsers in a real browser: a receipt is verified there, a forged one refused. */
import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import { canonicalJson, type JsonValue } from "../../packages/proofs/src/index.ts";
import { anchoredReceipt } from "../../packages/proofs/src/testing/receipt-fixture.ts";
import { NO_BROWSER, openBrowser, servePackages } from "./browser.ts";

test("the SDK verifies receipts and webhooks in a browser", { skip: NO_BROWSER ?? false }, async (t) => {
  const browser = await openBrowser(t);
  const page = await browser.newPage();
  await page.goto(await servePackages(t));
  const fixture = anchoredReceipt();
  const receipt = canonicalJson(JSON.parse(JSON.stringify(fixture.receipt)) as JsonValue);
  const trust = {
    validatorsHashes: [fixture.validatorsHash],
    bitcoin: { kind: "checkpoint", height: fixture.bitcoinHeight, hash: fixture.bitcoinHash },
  };
  const inPage = async ({ text, roots }: { text: string; roots: object }) => {
    const { verifyReceipt } = await import("@cairn/sdk");
    const { result, failed } = verifyReceipt(text, roots as never);
    return [result, failed ?? ""];
  };
  assert.deepEqual(await page.evaluate(inPage, { text: receipt, roots: trust }), ["proven", ""]);
  const forged = receipt.replace(/"block_number":"\d+"/, '"block_number":"7"');
  assert.notEqual(forged, receipt);
  assert.deepEqual(await page.evaluate(inPage, { text: forged, roots: trust }), ["false", "leaf"]);

  const key = randomBytes(32);
  const seconds = Math.floor(Date.now() / 1_000);
  const mac = createHmac("sha256", key).update(`m.${seconds}.{}`).digest("base64");
  const webhook = {
    body: "{}",
    headers: { "webhook-id": "m", "webhook-timestamp": String(seconds), "webhook-signature": `v1,${mac}` },
    secret: `whsec_${key.toString("base64")}`,
  };
  const id = await page.evaluate(async (o) => (await (await import("@cairn/sdk")).verifyWebhook(o)).id, webhook);
  assert.equal(id, "m");
});
