/** What web pages of other origins may read: receipts and registers, refusals included; nothing that needs a token. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { call, runService } from "../testing/fixture.ts";

test("public reads are for pages of every origin; everything else is for none", async (t) => {
  const service = await runService(t);
  const nobody = `0x${"00".repeat(32)}`;
  const readable = ["/v1/batches", "/v1/batches/1", "/v1/anchors", `/v1/proofs/${nobody}/receipt`];
  const closed = [
    "/v1/proofs",
    "/v1/account",
    "/status",
    "/metrics",
    "/readyz",
    "/v1/access-requests/req_1",
    "/nowhere",
  ];
  for (const path of [...readable, `/v1/proofs/${nobody}/receipt.ots`, `/timestamp/${nobody.slice(2)}`]) {
    assert.equal((await call(service, path)).headers.get("access-control-allow-origin"), "*", path);
  }
  for (const path of closed) {
    assert.equal((await call(service, path)).headers.get("access-control-allow-origin"), null, path);
  }
});

test("who is lost is told where the paths are described", async (t) => {
  const service = await runService(t);
  const lost = await call(service, "/");
  assert.equal(lost.status, 404);
  assert.match(String(lost.body.detail), /\/docs/);
  assert.equal((await call(service, "/docs")).status, 200);
});
