import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import type { Address, Hash, Hex } from "@cairn/primitives";
import { createFilterRegistry, type FilterRegistry } from "./filter-registry.ts";
import { createFilters, DEFAULT_FILTER_LIMITS, type FilterLimits, filtersHead, filtersPending } from "./filters.ts";
import { type HeadLog, headLogs, logMatcher } from "./head-log.ts";

const word = (n: number): Hash => `0x${n.toString(16).padStart(64, "0")}`;
const address = (n: number): Address => `0x${n.toString(16).padStart(40, "0")}`;

function logOf(emitter: number, ...topics: number[]): HeadLog {
  const log = { address: address(emitter), topics: topics.map(word) };
  const rest = { data: "0x5b5d7b7d", blockNumber: "0x1", transactionHash: word(7), removed: false };
  return { ...log, json: JSON.stringify({ ...log, ...rest }) };
}

function setUp(limits: Partial<FilterLimits> = {}) {
  let nowMs = 0;
  let height = 0n;
  const filters = createFilters({ ...DEFAULT_FILTER_LIMITS, ...limits });
  const registry = createFilterRegistry({ filters, clock: () => nowMs, randomBytes, head: () => height });
  const advance = (ms: number) => {
    nowMs += ms;
  };
  const head = (number: bigint) => {
    height = number;
    filtersHead(filters, word(Number(number)), nowMs);
  };
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

  it("names the blocks a log filter has not answered, within its bounds", () => {
    const { registry, head } = setUp();
    head(1n);
    const id = idOf(registry.newLogFilter({ ...any, toBlock: 4n }));
    const late = idOf(registry.newLogFilter({ ...any, fromBlock: 4n }));
    const poll = (of: Hex) => {
      const changes = registry.changes(of);
      assert.ok(changes.ok && changes.kind === "logs");
      return changes;
    };
    assert.equal(poll(id).blocks, undefined);
    head(2n);
    head(3n);
    assert.deepEqual(poll(id).blocks, { fromBlock: 2n, toBlock: 3n });
    assert.equal(poll(id).blocks, undefined);
    assert.equal(poll(late).blocks, undefined);
    head(4n);
    head(5n);
    assert.deepEqual(poll(id).blocks, { fromBlock: 4n, toBlock: 4n });
    const { blocks, giveBack } = poll(late);
    assert.deepEqual(blocks, { fromBlock: 4n, toBlock: 5n });
    giveBack(5n);
    assert.deepEqual(poll(late).blocks, { fromBlock: 5n, toBlock: 5n });
    head(6n);
    assert.equal(poll(id).blocks, undefined);
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

  it("is capped, and room comes back", () => {
    const { registry } = setUp({ maxFilters: 1 });
    const id = idOf(registry.newBlockFilter());
    assert.deepEqual(registry.newBlockFilter(), { ok: false, code: "too-many-filters", cap: 1 });
    registry.uninstall(id);
    assert.ok(registry.newBlockFilter().ok);
  });

  it("is capped per connection too", () => {
    const { registry } = setUp({ maxPerConnection: 1 });
    const [one, other] = [Symbol("one"), Symbol("other")];
    const id = idOf(registry.newBlockFilter(one));
    assert.deepEqual(registry.newLogFilter(any, one), { ok: false, code: "too-many-filters", cap: 1 });
    assert.ok(registry.newPendingTransactionFilter(other).ok);
    assert.ok(registry.newBlockFilter().ok);
    registry.uninstall(id);
    assert.ok(registry.newPendingTransactionFilter(one).ok);
  });

  it("makes ids of 32 digits that never begin with zero", () => {
    const filters = createFilters(DEFAULT_FILTER_LIMITS);
    const registry = createFilterRegistry({
      ...{ filters, clock: () => 0, head: () => 0n },
      randomBytes: (n) => new Uint8Array(n),
    });
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
    assert.deepEqual([...headLogs(`[${logs.map((log) => log.json).join(",")}]`)], logs);
    assert.deepEqual([...headLogs("[]")], []);
  });
});
