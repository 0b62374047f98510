/** TON's HTTP API, on a server with the shapes that toncenter answers (recorded shapes, not a live node). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { codeOf, sourceOf } from "../testing/recorded-chain.ts";

const signal = AbortSignal.timeout(60_000);
const SHARD = "-9223372036854775808";
const ROOT = "qe2QTVuhQDOYLNPK2yFxl9nGAsrQ4EY6VVSZn89m6dQ=";
const FILE = "p8q63ShU6mOoMR7WX4TB4kXlKlefazFQknWFoMJDiTE=";
const PARENT = "sRL+rhk/qXpzDweLFEC41+XseK7AScl82e93uLRgpOo=";
const INIT = "F6OpKZKqvqeFp6CQmFomXNMfMj2EnaUSOXN+Mh+wVWk=";

const id = (seqno: number, root_hash: string) => ({
  "@type": "ton.blockIdExt",
  workchain: -1,
  shard: SHARD,
  seqno,
  root_hash,
  file_hash: FILE,
});

test("TON: masterchain blocks by sequence number, hashes in base64, the key in x-api-key", async (t) => {
  const info = {
    "@type": "blocks.masterchainInfo",
    last: id(38_016_643, ROOT),
    state_root_hash: PARENT,
    init: { ...id(0, INIT), shard: "0" },
  };
  const header = {
    "@type": "blocks.header",
    id: id(38_016_643, ROOT),
    global_id: -239,
    is_key_block: false,
    prev_blocks: [id(38_016_642, PARENT)],
  };
  const path = `/api/v2/getBlockHeader?workchain=-1&shard=${SHARD}&seqno=`;
  const rest = (_: string, asked: string) => {
    if (asked === "/api/v2/getMasterchainInfo") return { ok: true, result: info };
    if (asked === `${path}38016643`) return { ok: true, result: header };
    if (asked === `${path}5`) return { ok: false, error: "LITE_SERVER_NOTREADY: seqno not in db", code: 500 };
    return asked === `${path}6` ? { ok: false, error: "Ratelimit exceed", code: 429 } : undefined;
  };
  const options = { finality: "finalized", auth_header: "X-API-Key" };
  const { source, server } = await sourceOf(t, "getBlockHeader", { rest }, options);
  assert.equal(await source.head(signal), 38_016_643n);
  assert.equal(await source.takeable(38_016_643n, signal), 38_016_643n);
  assert.deepEqual(await source.identity(signal), { genesis: INIT });
  const block = await source.block(38_016_643n, signal);
  assert.equal(block?.nativeHash, ROOT);
  assert.equal(block?.hash, `0x${Buffer.from(ROOT, "base64").toString("hex")}`);
  assert.equal(block?.parentHash, `0x${Buffer.from(PARENT, "base64").toString("hex")}`);
  assert.equal(await codeOf(source.block(5n, signal)), "missing");
  assert.equal(await codeOf(source.block(6n, signal)), "rpc-error");
  assert.ok(server.asked.every(({ headers }) => headers["x-api-key"] === "key-for-tests"));
});
