/** Listings of states beside geth's, and as they follow from what blocks did. */
import assert from "node:assert/strict";
import { after, before, describe, it, test } from "node:test";
import { getAddress, type Hex, keccak256, pad } from "viem";
import { skipWithoutGeth } from "./testing/geth-node.ts";
import { startLiveNode } from "./testing/live-node.ts";
import { alice, contract, does, type Peer, startTracePeers, type TracePeers, tree } from "./testing/trace-peers.ts";
import { sendTransfers } from "./testing/transfers.ts";

type Accounts = Record<string, { readonly balance: string; readonly key: Hex; readonly storage?: object }>;

interface Dump {
  readonly root: string;
  readonly accounts: Accounts;
  readonly next?: Hex;
}

const FIRST = `0x${"0".repeat(64)}`;

describe("listings as geth's", { skip: skipWithoutGeth, timeout: 120_000 }, () => {
  let peers: TracePeers;
  before(async () => {
    peers = await startTracePeers();
  });
  after(() => peers?.close());

  async function whole(peer: Peer): Promise<Dump> {
    return (await peer.ask("debug_accountRange", "latest", FIRST, 256, false, false, false)) as Dump;
  }

  it("accounts with code and storage", async () => {
    const [mine, wanted] = await Promise.all([whole(peers.ours), whole(peers.theirs)]);
    for (const address of [tree, getAddress("0x000000000000000000000000000000000000beef"), alice.address]) {
      const [own, other] = [mine.accounts[address], wanted.accounts[address]];
      assert.ok(own !== undefined && other !== undefined, address);
      const same = address === alice.address ? { ...own, balance: other.balance } : own;
      assert.deepEqual(same, other, address);
    }
    const shared = Object.keys(mine.accounts).filter((address) => address in wanted.accounts);
    assert.ok(shared.length > 10);
    const header = (await peers.ours.ask("eth_getBlockByNumber", "latest", false)) as { stateRoot: Hex };
    assert.equal(`0x${mine.root}`, header.stateRoot);
  });

  it("storage before a transaction", async () => {
    const blockOf = async (peer: Peer, name: string, hashes: ReadonlyMap<string, Hex>) =>
      ((await peer.ask("eth_getTransactionByHash", hashes.get(name))) as { blockHash: Hex }).blockHash;
    for (const name of ["grow", "survive", "make"]) {
      for (const [start, most] of [
        [FIRST, 100],
        [FIRST, 1],
        [FIRST, 0],
        [`0x40${"0".repeat(62)}`, 2],
      ]) {
        const [mine, wanted] = await Promise.all([
          peers.ours.ask("debug_storageRangeAt", await blockOf(peers.ours, name, peers.our), 0, tree, start, most),
          peers.theirs.ask(
            "debug_storageRangeAt",
            await blockOf(peers.theirs, name, peers.their),
            0,
            tree,
            start,
            most,
          ),
        ]);
        assert.deepEqual(mine, wanted, `${name} ${start} ${most}`);
      }
    }
    for (const params of [
      ["latest", 0, alice.address, FIRST, 2],
      ["0x0", 0, tree, FIRST, 2],
    ]) {
      assert.deepEqual(
        await peers.ours.ask("debug_storageRangeAt", ...params),
        await peers.theirs.ask("debug_storageRangeAt", ...params),
      );
    }
    const hash = await blockOf(peers.ours, "grow", peers.our);
    assert.deepEqual(await peers.ours.ask("debug_storageRangeAt", hash, 7, tree, FIRST, 1), {
      error: { code: -32000, message: `transaction index 7 out of range for block ${hash}` },
    });
  });

  it("accounts that blocks modified", async () => {
    const proposers = [
      ((await peers.ours.ask("eth_getBlockByNumber", "0x3", false)) as { miner: Hex }).miner,
      ((await peers.theirs.ask("eth_getBlockByNumber", "0x3", false)) as { miner: Hex }).miner,
    ];
    const without = (answer: unknown) => (answer as Hex[]).filter((address) => !proposers.includes(address)).sort();
    for (const params of [[3], [2, 5], [0, 9]]) {
      const [mine, wanted] = await Promise.all([
        peers.ours.ask("debug_getModifiedAccountsByNumber", ...params),
        peers.theirs.ask("debug_getModifiedAccountsByNumber", ...params),
      ]);
      assert.deepEqual(without(mine), without(wanted), params.join());
    }
    for (const params of [[0], [99], [3, 2], [3, 3], [3, 99]]) {
      assert.deepEqual(
        await peers.ours.ask("debug_getModifiedAccountsByNumber", ...params),
        await peers.theirs.ask("debug_getModifiedAccountsByNumber", ...params),
      );
    }
  });

  it("what is not there", async () => {
    for (const [method, ...params] of [
      ["debug_dumpBlock", "0x99"],
      ["debug_preimage", `0x${"0e".repeat(32)}`],
    ] as const) {
      assert.deepEqual(await peers.ours.ask(method, ...params), await peers.theirs.ask(method, ...params));
    }
  });
});

test("pages of accounts make the whole; keys lead back to addresses and slots", async () => {
  const node = await startLiveNode({ automine: false });
  try {
    await sendTransfers(node, 30);
    await node.produce();
    const page = async (start: Hex, most: number): Promise<Dump> =>
      (await node.rpc("debug_accountRange", "latest", start, most, true, true, false)).result as Dump;
    const whole = await page(FIRST as Hex, 256);
    assert.equal(whole.next, undefined);
    const gathered: Accounts = {};
    for (let next: Hex | undefined = FIRST as Hex; next !== undefined; ) {
      const { accounts, next: after }: Dump = await page(next, 7);
      assert.ok(Object.keys(accounts).length <= 7);
      Object.assign(gathered, accounts);
      next = after;
    }
    assert.deepEqual(gathered, whole.accounts);
    assert.ok(Object.keys(gathered).length > 40);
    for (const [address, { key }] of Object.entries(gathered)) {
      assert.equal(keccak256(address as Hex), key);
      assert.equal((await node.rpc("debug_preimage", key)).result, address.toLowerCase());
    }
    const dumped = (await node.rpc("debug_dumpBlock", "0x1")).result as Dump;
    const slots = Object.values(dumped.accounts).flatMap(({ storage = {} }) => Object.keys(storage));
    assert.ok(slots.length > 0);
    for (const slot of slots) assert.equal((await node.rpc("debug_preimage", keccak256(slot as Hex))).result, slot);
    const changed = (await node.rpc("debug_getModifiedAccountsByNumber", 1)).result as Hex[];
    assert.equal(changed.filter((address) => address.startsWith(pad("0xfe", { size: 19 }).slice(0, 40))).length, 30);
    const first = (await node.rpc("eth_getBlockByNumber", "0x1", false)).result as { hash: Hex };
    assert.deepEqual((await node.rpc("debug_getModifiedAccountsByHash", first.hash)).result, changed);
    assert.deepEqual(node.faults, []);
  } finally {
    await node.close();
  }
});

test("storage within a block: what earlier transactions left, and what they took", async () => {
  const node = await startLiveNode({ automine: false });
  try {
    const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1n };
    const base = { type: "eip1559", chainId: 358_587, ...fees } as const;
    for (const [nonce, fields] of [
      { data: contract.bytecode, gas: 3_000_000n },
      { to: tree, data: does("grow", [3n]), gas: 500_000n },
      { to: tree, data: does("grow", [5n]), gas: 500_000n },
    ].entries()) {
      await node.rpc("eth_sendRawTransaction", await alice.signTransaction({ ...base, nonce, ...fields }));
    }
    await node.produce();
    type Range = { storage: Record<Hex, { key: Hex; value: Hex }> | null; nextKey: Hex | null };
    const at = async (index: number, most = 100): Promise<Range> =>
      (await node.rpc("debug_storageRangeAt", "0x1", index, tree, FIRST, most)).result as Range;
    assert.deepEqual(await at(0), { storage: null, nextKey: null });
    const words = async (index: number) =>
      Object.fromEntries(
        Object.values((await at(index)).storage ?? {}).map(({ key, value }) => [BigInt(key), BigInt(value)]),
      );
    assert.equal((await words(1))["0"], 7n);
    assert.equal((await words(2))["0"], 3n);
    const whole = (await at(2)).storage ?? {};
    const some = await at(2, 2);
    const keys = Object.keys(whole).sort();
    assert.deepEqual(Object.keys(some.storage ?? {}), keys.slice(0, 2));
    assert.equal(some.nextKey, keys[2] ?? null);
    for (const [hash, { key }] of Object.entries(whole)) assert.equal(keccak256(key), hash);
  } finally {
    await node.close();
  }
});
