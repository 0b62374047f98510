/** The same contract and the same transactions on this node and on `geth --dev`: every trace is compared whole. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { encodeFunctionData, getContractAddress, type Hex } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { type LiveNode, startLiveNode, testGenesis } from "./live-node.ts";
import { findGeth, type GethNode, startGeth } from "./testing/geth-node.ts";
import { compileTraceContract } from "./testing/trace-contract.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const alice = mnemonicToAccount(MNEMONIC, { addressIndex: 2 });
const contract = compileTraceContract();
const tree = getContractAddress({ from: alice.address, nonce: 0n });
const ETHER = 10n ** 18n;

interface Peer {
  ask(method: string, ...params: unknown[]): Promise<unknown>;
  send(raw: Hex): Promise<Hex>;
}

interface Step {
  readonly name: string;
  readonly data?: Hex;
  readonly value?: bigint;
  readonly gas?: bigint;
}

const does = (functionName: string, args: readonly unknown[] = []): Hex =>
  encodeFunctionData({ abi: contract.abi, functionName, args });

const STEPS: readonly Step[] = [
  { name: "transfer", value: 5n },
  { name: "grow", data: does("grow", [3n]), value: 11n },
  { name: "survive", data: does("survive") },
  { name: "make", data: does("make", [5n, `0x${"07".repeat(32)}`]), value: 9n },
  { name: "refuse", data: does("refuse") },
  { name: "burn", data: does("burn"), gas: 100_000n },
  { name: "underflow", data: does("underflow") },
  { name: "out of gas", data: does("grow", [77n]), gas: 60_000n },
];

async function committed(peer: Peer, raw: Hex): Promise<Hex> {
  const hash = await peer.send(raw);
  const deadline = performance.now() + 20_000;
  while ((await peer.ask("eth_getTransactionReceipt", hash)) === null) {
    assert.ok(performance.now() < deadline, "not included in time");
    await delay(20);
  }
  return hash;
}

/** Deploys and runs every step; the hashes by name. */
async function play(peer: Peer): Promise<Map<string, Hex>> {
  const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n } as const;
  const base = { type: "eip1559", chainId: 358_587, ...fees } as const;
  const hashes = new Map<string, Hex>();
  const deploy = { ...base, nonce: 0, data: contract.bytecode, value: ETHER, gas: 3_000_000n };
  hashes.set("deploy", await committed(peer, await alice.signTransaction(deploy)));
  for (const [index, { name, data, value = 0n, gas = 600_000n }] of STEPS.entries()) {
    const tx = { ...base, nonce: index + 1, to: tree, value, gas, ...(data ? { data } : {}) };
    hashes.set(name, await committed(peer, await alice.signTransaction(tx)));
  }
  return hashes;
}

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

const binary = findGeth();
const skip = binary === undefined ? "no geth binary (set CAIRN_GETH or install v1.17.5)" : false;

describe("traces as geth's", { skip, timeout: 120_000 }, () => {
  let node: LiveNode;
  let geth: GethNode;
  let ours: Peer;
  let theirs: Peer;
  let our = new Map<string, Hex>();
  let their = new Map<string, Hex>();

  before(async () => {
    node = await startLiveNode();
    geth = await startGeth(binary ?? "", testGenesis());
    const ask =
      (from: LiveNode | GethNode) =>
      async (method: string, ...params: unknown[]) => {
        const { result, error } = await from.rpc(method, ...params);
        return error === undefined ? result : { error };
      };
    const peer = (from: LiveNode | GethNode): Peer => ({
      ask: ask(from),
      send: async (raw) => String(await ask(from)("eth_sendRawTransaction", raw)) as Hex,
    });
    ours = peer(node);
    theirs = peer(geth);
    [our, their] = await Promise.all([play(ours), play(theirs)]);
  });
  after(async () => {
    await node?.close();
    await geth?.close();
  });

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
