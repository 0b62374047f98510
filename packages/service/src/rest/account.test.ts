/** The account's resource: its usage beside its money. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountResource, UsageResource } from "@cairn/api";
import type { RunningService } from "../index.ts";
import { call, post, proofCases, runService, until } from "../testing/fixture.ts";

const commitment = (n: number) =>
  JSON.stringify({ system: "commitment", encoding: "hex", proof: `0x${n.toString(16).padStart(64, "0")}` });

async function usage(service: RunningService): Promise<AccountResource["usage"]> {
  return ((await call(service, "/v1/account")).body as unknown as AccountResource).usage;
}

test("what was used stands in the account, as its statement has it", async (t) => {
  const service = await runService(t);
  const none = { submissions: 0, verified: 0, rejected: 0, settled: 0 };
  const before = await usage(service);
  assert.deepEqual([before.today, before.totals], [none, none]);
  assert.equal(Date.parse(before.to) - Date.parse(before.from), 30 * 86_400_000);
  const [invalid] = proofCases().filter((item) => item.expected === "invalid-proof");
  for (const proof_data of [commitment(1), commitment(2), invalid?.proofData]) {
    assert.equal((await post(service, "/v1/submit-proof", { proof_data, chain_id: "used" })).status, 202);
  }
  const after = await until("all are judged", async () => {
    const now = await usage(service);
    return now.totals.verified + now.totals.rejected === 3 && now;
  });
  assert.deepEqual(after.totals, { ...none, submissions: 3, verified: 2, rejected: 1 });
  assert.deepEqual(after.today, after.totals);
  const statement = (await call(service, "/v1/account/usage")).body as unknown as UsageResource;
  assert.deepEqual([statement.from, statement.to, statement.totals], [after.from, after.to, after.totals]);
});
