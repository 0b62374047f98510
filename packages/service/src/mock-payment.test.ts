/** The sandbox's mock money over a real node: captured when settled; a switched-on shortfall, overdue and covered. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunningService } from "./index.ts";
import { call, post, proofCases, runService, temporaryHome, until } from "./testing/fixture.ts";
import { endpoints, KEYS, runNode } from "./testing/node-fixture.ts";

const [first, second] = proofCases().filter((item) => item.expected === "valid");
const PRICE = "3500000000000000";

async function settled(service: RunningService, proofData: string): Promise<Readonly<Record<string, unknown>>> {
  const { body } = await post(service, "/v1/submit-proof", { proof_data: proofData, chain_id: "test" });
  return until(
    "it is settled",
    async () => {
      const now = (await call(service, `/v1/proofs/${body.id}`)).body;
      return ["settled", "anchored", "final"].includes(String(now.state)) && now;
    },
    60_000,
  );
}

test("mock money is captured when settled, falls short when switched, and is covered by the faucet", {
  timeout: 180_000,
}, async (t) => {
  const home = temporaryHome(t);
  const node = await runNode(t, home);
  const service = await runService(t, { home, ...KEYS, ...endpoints(node) });
  assert.ok(first && second);
  const paid = await settled(service, first.proofData);
  assert.deepEqual(paid.payment, { mode: "mock", state: "captured", price: PRICE });
  const receipt = await call(service, `/v1/proofs/${paid.id}/receipt`);
  assert.equal((receipt.body.info as { payment: string }).payment, "mock");

  await post(service, "/v1/sandbox/faults", { charges_short: 1 });
  const short = await settled(service, second.proofData);
  assert.deepEqual(short.payment, { mode: "mock", state: "overdue", price: PRICE });
  const refused = await post(service, "/v1/submit-proof", { proof_data: first.proofData, chain_id: "other" });
  assert.deepEqual([refused.status, refused.body.code, refused.body.required], [402, "payment-overdue", PRICE]);
  const { body } = await post(service, "/v1/sandbox/faucet", { amount: PRICE });
  assert.equal((body.payment as { overdue: string }).overdue, "0");
  const again = await settled(service, JSON.stringify({ ...JSON.parse(first.proofData), extra: 1 }));
  assert.notEqual((again.payment as { state: string }).state, "overdue", "one batch was short, no more");
  const covered = (await call(service, `/v1/proofs/${short.id}`)).body.payment as { state: string };
  assert.equal(covered.state, "captured");
});
