/** An anchor wallet without a coin: said once in the log, an alarm; anchoring goes on when one is confirmed. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createAnchorWallet, createRegtest } from "@cairn/bitcoin-node";
import { createServiceClient } from "@cairn/sdk";
import { atEnd, call, runService, TOKEN, temporaryHome, testLog, until } from "./testing/fixture.ts";
import { endpoints, KEYS, runNode } from "./testing/node-fixture.ts";

test("an empty wallet", { timeout: 60_000 }, async (t) => {
  const home = temporaryHome(t);
  const dir = join(home, "regtest");
  const regtest = await createRegtest({ dir, blockIntervalMs: 0, user: "u", password: "p", log: testLog });
  atEnd(t, () => regtest.close());
  const { address } = createAnchorWallet({ privateKey: KEYS.anchorKey, network: "regtest" });
  const unconfirmed = await regtest.fundAddress(address, 1_000_000n);
  const node = await runNode(t, home);
  const told: string[] = [];
  const service = await runService(t, {
    ...{ home, ...KEYS, ...endpoints(node) },
    bitcoin: { kind: "rpc", network: "regtest", urls: [regtest.url], funding: [unconfirmed] },
    policy: { batchIntervalMs: 100, batchSlots: 512, anchorPeriodMs: 100, finalDepth: 1 },
    log: { ...testLog, error: (_, message) => void (/no confirmed coin/.test(message) && told.push(message)) },
  });
  const client = createServiceClient({ url: service.url, token: TOKEN, timeoutMs: 60_000 });
  const proof_data = JSON.stringify({ system: "commitment", value: `0x${"5a".repeat(32)}` });
  const { id } = await client.submitProof({ proof_data, chain_id: "empty" });
  const runwayAlarm = async () => {
    const alarms = (await call(service, "/readyz")).body.alarms as readonly { code: string; detail: string }[];
    return alarms.find(({ code }) => code === "anchor-runway")?.detail;
  };
  assert.match(await until("it is an alarm", runwayAlarm), /pays for 0 more anchors/);
  assert.equal(told.length, 1);
  await regtest.mine(1);
  await until("it is anchored", async () => {
    if ((await client.anchors()).items.length > 0) await regtest.mine(1);
    return (await client.getProof(id)).state === "final";
  });
  await until("the alarm is over", async () => (await runwayAlarm()) === undefined);
  assert.equal(told.length, 1);
});
