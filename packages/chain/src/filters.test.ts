import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import type { Address, Hash, Hex } from "@cairn/primitives";
import { createFilterRegistry, type FilterRegistry } from "./filter-registry.ts";
import { createFilters, DEFAULT_FILTER_LIMITS, type FilterLimits, filtersHead, filtersPending } from "./filters.ts";
import { type HeadLog, logMatcher, parseHeadLogs } from "./head-log.ts";

const word = (n: number): Hash => `0x${n.toString(16).padStart(64, "0")}`;
const address = (n: number): Address => `0x${n.toString(16).padStart(40, "0")}`;

function logOf(emitter: number, ...topics: number[]): HeadLog {
  const log = { address: address(emitter), topics: topics.map(word), transactionHash: word(7) };
  return { ...log, json: JSON.stringify(log) };
}

function setUp(limits: Partial<FilterLimits> = {}) {
  let nowMs = 0;
  const filters = createFilters({ ...DEFAULT_FILTER_LIMITS, ...limits });
  const registry = createFilterRegistry({ filters, clock: () => nowMs, randomBytes });
  const advance = (ms: number) => {
    nowMs += ms;
  };
  const head = (number: bigint, ...logs: HeadLog[]) =>
    filtersHead(filters, { number, hash: word(Number(number)), logs: () => logs }, nowMs);
  return { filters, registry, advance, head };
}

function idOf(outcome: ReturnType<FilterRegistry["newBlockFilter"]>): Hex {
  assert.ok(outcome.ok);
  return outcome.id;
}

const any = { addresses: [], topics: [] };

describe("filters", () => {
  it("answers each block once, from installation on", () => {
    const { registry, head } = setUp();
    head(1n);
    const id = idOf(registry.newBlockFilter());
    head(2n);
    head(3n);
    assert.deepEqual(registry.changes(id), { ok: true, kind: "blocks", hashes: [word(2), word(3)] });
    assert.deepEqual(registry.changes(id), { ok: true, kind: "blocks", hashes: [] });
  });

  it("collects matching logs within the block bounds", () => {
    const { registry, head } = setUp();
    const id = idOf(registry.newLogFilter({ ...any, addresses: [address(1)], fromBlock: 2n, toBlock: 3n }));
    head(1n, logOf(1));
    head(2n, logOf(1, 5), logOf(2));
    head(4n, logOf(1));
    assert.deepEqual(registry.changes(id), { ok: true, kind: "logs", logsJson: `[${logOf(1, 5).json}]` });
  });

  it("tells the kind when a log filter is wanted, and unknown ids apart", () => {
    const { registry } = setUp();
    const pending = idOf(registry.newPendingTransactionFilter());
    assert.deepEqual(registry.criteria(pending), { ok: false, code: "wrong-kind", kind: "pending" });
    assert.deepEqual(registry.criteria("0x12"), { ok: false, code: "filter-not-found" });
    const logs = idOf(registry.newLogFilter(any));
    assert.deepEqual(registry.criteria(logs), { ok: true, criteria: any });
    assert.equal(registry.uninstall(pending), true);
    assert.equal(registry.uninstall(pending), false);
  });

  it("collects pending hashes", () => {
    const { registry, filters } = setUp();
    const id = idOf(registry.newPendingTransactionFilter());
    filtersPending(filters, [word(1), word(2)]);
    assert.deepEqual(registry.changes(id), { ok: true, kind: "pending", hashes: [word(1), word(2)] });
  });

  it("forgets filters nobody polls, and those that overflow", () => {
    const { registry, advance, head } = setUp({ timeoutMs: 100, maxEntries: 2 });
    const silent = idOf(registry.newBlockFilter());
    advance(60);
    const polled = idOf(registry.newBlockFilter());
    advance(60);
    assert.deepEqual(registry.changes(silent), { ok: false, code: "filter-not-found" });
    assert.ok(registry.changes(polled).ok);
    for (const number of [1n, 2n, 3n]) head(number);
    assert.deepEqual(registry.changes(polled), { ok: false, code: "filter-not-found" });
  });

  it("lets go of what nobody polls with the next block, whether anybody asks or not", () => {
    const { filters, registry, advance, head } = setUp({ timeoutMs: 100 });
    idOf(registry.newBlockFilter());
    advance(101);
    head(1n);
    assert.equal(filters.byId.size, 0);
  });

  it("forgets log filters whose texts grow too long between polls", () => {
    const log = logOf(1, 5);
    const { registry, head } = setUp({ maxChars: 2 * log.json.length });
    const id = idOf(registry.newLogFilter(any));
    head(1n, log, log);
    assert.ok(registry.changes(id).ok);
    head(2n, log, log);
    assert.ok(registry.changes(id).ok);
    head(3n, log, log);
    head(4n, log);
    assert.deepEqual(registry.changes(id), { ok: false, code: "filter-not-found" });
  });

  it("is capped, and room comes back", () => {
    const { registry } = setUp({ maxFilters: 1 });
    const id = idOf(registry.newBlockFilter());
    assert.deepEqual(registry.newBlockFilter(), { ok: false, code: "too-many-filters", cap: 1 });
    registry.uninstall(id);
    assert.ok(registry.newBlockFilter().ok);
  });

  it("makes ids of 32 digits that never begin with zero", () => {
    const filters = createFilters(DEFAULT_FILTER_LIMITS);
    const registry = createFilterRegistry({ filters, clock: () => 0, randomBytes: (n) => new Uint8Array(n) });
    assert.equal(idOf(registry.newBlockFilter()), "0x10000000000000000000000000000000");
  });
});

describe("log matching", () => {
  it("takes alternatives per position and counts trailing wildcards", () => {
    const log = logOf(1, 5, 6);
    assert.ok(logMatcher({ addresses: [], topics: [[], [word(9), word(6)]] })(log));
    assert.ok(logMatcher({ addresses: [address(3), address(1)], topics: [[word(5)]] })(log));
    assert.ok(!logMatcher({ addresses: [], topics: [[word(6)]] })(log));
    assert.ok(!logMatcher({ addresses: [], topics: [[], [], []] })(log));
    assert.ok(!logMatcher({ addresses: [address(2)], topics: [] })(log));
  });

  it("splits the array text of a block's logs", () => {
    const logs = [logOf(1, 5), logOf(2)];
    assert.deepEqual(parseHeadLogs(`[${logs.map((log) => log.json).join(",")}]`), logs);
    assert.deepEqual(parseHeadLogs("[]"), []);
  });
});
