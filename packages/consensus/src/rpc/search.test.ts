/** Searches over an application's keys answer as searches that read every result. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createEmbeddedEngine, type EmbeddedEngine } from "../engine.ts";
import { createLedgerApp } from "../test-support/ledger-app.ts";
import { createTestHome, QUIET, reached } from "../test-support/test-home.ts";
import type { TxKeysPort } from "../tx-index.ts";
import { txSearchResult } from "./search.ts";

/** Everything a transaction says under `ledger.first`, in few buckets so that keys collide. */
const COLLIDING: TxKeysPort = {
  keys: ({ events }) => events.flatMap(({ attributes }) => attributes.map(({ value }) => value.slice(0, 2))),
  keyOf: (tag, text) => (tag === "ledger.first" ? text.slice(0, 2) : undefined),
};

const transactions = (height: bigint): Uint8Array[] =>
  height % 3n === 0n
    ? []
    : [Uint8Array.of(1, Number(height % 2n)), Uint8Array.of(1, 7), Uint8Array.of(2, Number(height))];

interface Found {
  txs: { height: string; index: number; tx: string }[];
  total_count: string;
}

describe("tx_search", () => {
  let engine: EmbeddedEngine;
  before(async () => {
    const paths = await createTestHome();
    const app = createLedgerApp({ dir: paths.appDir, select: transactions });
    engine = await createEmbeddedEngine({ home: paths.home, app, blockIntervalMs: 5, txKeys: COLLIDING, log: QUIET });
    engine.start();
    await reached(engine, 40n);
  });
  after(() => engine.close());

  const search = async (query: string, more: object = {}, keyed = true): Promise<Found> => {
    const { txKeys: _, ...reads } = engine.reads;
    const asked = { reads: keyed ? engine.reads : reads, latestHeight: () => 40n };
    const o = { prove: false, page: undefined, perPage: undefined, orderBy: "", ...more };
    return JSON.parse(await txSearchResult(asked, { query, ...o }));
  };

  for (const query of [
    "ledger.first='0107'",
    "ledger.first='0101'",
    "ledger.first='0102'",
    "ledger.first='0107' AND tx.height>10 AND tx.height<=20",
    "ledger.first='0107' AND tx.height=11",
    "ledger.first='0107' AND tx.height=12",
    "ledger.first='0107' AND ledger.first EXISTS",
    "ledger.first='0107' AND ledger.first='0101'",
    "tx.height>99999999999999999999999",
  ]) {
    for (const orderBy of ["asc", "desc"]) {
      it(`${query} ${orderBy}`, async () => {
        const more = { orderBy, perPage: 7n };
        const found = await search(query, more);
        assert.deepEqual(found, await search(query, more, false));
      });
    }
  }

  it("pages through everything once, in both orders", async () => {
    const heights = Array.from({ length: 40 }, (_, i) => BigInt(i + 1)).filter((height) => height % 3n !== 0n);
    for (const orderBy of ["asc", "desc"]) {
      const seen: string[] = [];
      for (let page = 1n; page <= 6n; page++) {
        const { txs, total_count: total } = await search("ledger.first='0107'", { orderBy, page, perPage: 5n });
        assert.equal(total, String(heights.length));
        seen.push(...txs.map(({ height }) => height));
      }
      assert.deepEqual(seen, (orderBy === "asc" ? heights : heights.toReversed()).map(String));
    }
    await assert.rejects(search("ledger.first='0107'", { page: 7n, perPage: 5n }), /within \[1, 6\] range, given 7/);
  });
});
