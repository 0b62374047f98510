import assert from "node:assert/strict";
import { test } from "node:test";
import { type AlarmCode, type AlarmFacts, alarmsOf, runwayOf } from "./alarm-rules.ts";

const POLICY = {
  runway: 30,
  chainStalledMs: 60_000,
  tipAgeMs: 7_200_000,
  workerStalledMs: 30_000,
  diskFreeBytes: 1_000_000,
};
const NOW = 10_000_000;
const BITCOIN = { tip: 100, tipTimeMs: NOW, highestTip: 100, behind: 0, silent: 0 };
const QUIET: AlarmFacts = {
  nowMs: NOW,
  feeCapped: false,
  wallet: { changeSat: 100_000, costSat: 161 },
  failing: [],
  storeFault: undefined,
  diskFreeBytes: 1_000_000,
  chainMovedAtMs: NOW,
  bitcoin: BITCOIN,
};
const failing = (sinceMs: number) => [{ worker: "settler", sinceMs, message: "no gas" }];

const CASES: readonly (readonly [string, Partial<AlarmFacts>, readonly AlarmCode[]])[] = [
  ["nothing", {}, []],
  ["what is not known raises nothing", { wallet: undefined, chainMovedAtMs: undefined, bitcoin: undefined }, []],
  ["a capped fee", { feeCapped: true }, ["anchor-fee-capped"]],
  ["a wallet running dry", { wallet: { changeSat: 161 * 29, costSat: 161 } }, ["anchor-runway"]],
  ["enough for thirty", { wallet: { changeSat: 161 * 30, costSat: 161 } }, []],
  ["a worker that just failed", { failing: failing(NOW - 29_999) }, []],
  ["a worker that keeps failing", { failing: failing(NOW - 30_000) }, ["worker-stalled"]],
  ["a store that takes no writes", { storeFault: "disk full" }, ["store-unavailable"]],
  ["a disk that is filling", { diskFreeBytes: 999_999 }, ["disk-low"]],
  ["a disk that cannot be asked", { diskFreeBytes: undefined }, []],
  ["a chain that stands still", { chainMovedAtMs: NOW - 60_000 }, ["chain-stalled"]],
  ["an old tip", { bitcoin: { ...BITCOIN, tipTimeMs: NOW - 7_200_000 } }, ["bitcoin-stalled"]],
  ["an everyday reorg", { bitcoin: { ...BITCOIN, highestTip: 102 } }, []],
  ["a node that lost blocks", { bitcoin: { ...BITCOIN, highestTip: 103 } }, ["bitcoin-shrank"]],
  ["a node behind another", { bitcoin: { ...BITCOIN, behind: 3 } }, ["bitcoin-behind"]],
  ["a silent witness", { bitcoin: { ...BITCOIN, silent: 1 } }, ["bitcoin-witness-silent"]],
];

for (const [name, change, codes] of CASES) {
  test(name, () => {
    const raised = alarmsOf({ ...QUIET, ...change }, POLICY);
    assert.deepEqual(
      raised.map(([code]) => code),
      codes,
    );
    for (const [, detail] of raised) assert.ok(detail.length > 10);
  });
}

test("a runway is whole anchors, never below none", () => {
  assert.equal(runwayOf({ changeSat: 999, costSat: 100 }), 9);
  assert.equal(runwayOf({ changeSat: 0, costSat: 0 }), 0);
});
