/** The same contract and the same transactions on this node and on `geth --dev`: every trace is compared whole. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Hex } from "viem";
import { skipWithoutGeth } from "./testing/geth-node.ts";
import { alice, does, type Peer, startTracePeers, type TracePeers, tree } from "./testing/trace-peers.ts";

type Members = Record<string, unknown>;

/** An instruction that ran out of gas shows what it took, geth what it would have cost. */
function withoutLastCost(trace: unknown): unknown {
  const { structLogs, ...rest } = trace as { structLogs: Members[] };
  const costless = ({ gasCost, ...log }: Members) =>
    String(log.error).startsWith("out of gas") ? log : { gasCost, ...log };
  return { ...rest, structLogs: structLogs.map(costless) };
}

/** The proposers and the fees that reach them differ: neither their accounts nor the sender's balance is compared. */
function withoutFees(trace: unknown): unknown {
  const strip = (accounts: unknown): unknown => {
    const entries = Object.entries(accounts as Record<string, Members>);
    return Object.fromEntries(
      entries
        .filter(([, account]) => account.nonce !== undefined || account.storage !== undefined)
        .map(([address, { balance, ...account }]) =>
          address === alice.address.toLowerCase() ? [address, account] : [address, { balance, ...account }],
        ),
    );
  };
  const { pre, post } = trace as Members;
  return pre === undefined ? strip(trace) : { pre: strip(pre), post: strip(post) };
}

const withoutBlockHash = (trace: unknown): unknown => (trace as Members[]).map(({ blockHash, ...call }) => call);

describe("traces as geth's", { skip: skipWithoutGeth, timeout: 120_000 }, () => {
  let peers: TracePeers;
  let ours: Peer;
  let theirs: Peer;
  let our: ReadonlyMap<string, Hex> = new Map();
  let their: ReadonlyMap<string, Hex> = new Map();

  before(async () => {
    peers = await startTracePeers();
    ({ ours, theirs, our, their } = peers);
  });
  after(() => peers?.close());

  async function same(
    options: object,
    normal: (trace: unknown) => unknown = (trace) => trace,
    names = [...our.keys()],
  ): Promise<void> {
    const faults: string[] = [];
    for (const name of names) {
      const [mine, wanted] = await Promise.all([
        ours.ask("debug_traceTransaction", our.get(name), options),
        theirs.ask("debug_traceTransaction", their.get(name), options),
      ]);
      try {
        assert.deepEqual(normal(mine), normal(wanted));
      } catch (error) {
        faults.push(`${name} ${JSON.stringify(options)}: ${String(error)}`);
      }
    }
    assert.deepEqual(faults, []);
  }

  it("struct logs", async () => {
    await same({}, withoutLastCost);
    await same({ disableStorage: true, disableStack: true }, withoutLastCost);
    await same({ enableMemory: true, enableReturnData: true }, withoutLastCost);
    await same({ limit: 5000 }, withoutLastCost);
  });

  it("callTracer", async () => {
    await same({ tracer: "callTracer" });
    await same({ tracer: "callTracer", tracerConfig: { withLog: true } });
    await same({ tracer: "callTracer", tracerConfig: { onlyTopCall: true } });
  });

  it("4byteTracer, noopTracer, muxTracer", async () => {
    await same({ tracer: "4byteTracer" });
    await same({ tracer: "noopTracer" });
    await same({ tracer: "muxTracer", tracerConfig: { callTracer: {}, "4byteTracer": {} } });
  });

  it("counts and preimages", async () => {
    for (const name of ["opcount", "unigram", "bigram", "trigram", "keccak256Preimage"]) {
      await same({ tracer: `${name}Tracer` });
    }
  });

  it("prestateTracer", async () => {
    await same({ tracer: "prestateTracer", tracerConfig: { diffMode: true } }, withoutFees);
    // The slot of the instruction that ran out of gas was loaded here, and not yet there.
    const names = [...our.keys()].filter((name) => name !== "out of gas");
    await same({ tracer: "prestateTracer" }, withoutFees, names);
    await same({ tracer: "prestateTracer", tracerConfig: { disableCode: true } }, withoutFees, names);
    await same({ tracer: "prestateTracer", tracerConfig: { disableStorage: true } }, withoutFees, names);
  });

  it("flatCallTracer", async () => {
    await same({ tracer: "flatCallTracer" }, withoutBlockHash);
    const tracerConfig = { convertParityErrors: true, includePrecompiles: true };
    await same({ tracer: "flatCallTracer", tracerConfig }, withoutBlockHash);
  });

  it("whole blocks, and what cannot be traced", async () => {
    const [mine, wanted] = await Promise.all(
      [ours, theirs].map((peer) => peer.ask("debug_traceBlockByNumber", "0x3", { tracer: "callTracer" })),
    );
    assert.deepEqual(mine, wanted);
    const unknown = `0x${"0e".repeat(32)}`;
    for (const [method, ...params] of [
      ["debug_traceTransaction", unknown],
      ["debug_traceBlockByNumber", "0x0"],
      ["debug_traceBlockByNumber", "0xffff"],
      ["debug_traceBlockByHash", unknown],
      ["debug_traceCall", {}, "pending"],
    ] as const) {
      assert.deepEqual(await ours.ask(method, ...params), await theirs.ask(method, ...params), method);
    }
  });

  it("calls, with overrides", async () => {
    const code = "0x60005460010160005260206000f3";
    const call = { from: alice.address, to: tree, data: does("word") };
    for (const options of [
      { tracer: "callTracer" },
      {},
      {
        tracer: "callTracer",
        stateOverrides: { [tree]: { code, stateDiff: { [`0x${"0".repeat(64)}`]: `0x${"0".repeat(62)}41` } } },
      },
      {
        tracer: "callTracer",
        stateOverrides: { [tree]: { code: "0x4360005260206000f3" } },
        blockOverrides: { number: "0x1234" },
      },
    ]) {
      const [mine, wanted] = await Promise.all(
        [ours, theirs].map((peer) => peer.ask("debug_traceCall", { ...call, gas: "0x30000" }, "0x4", options)),
      );
      assert.deepEqual(mine, wanted, JSON.stringify(options));
    }
  });
});
