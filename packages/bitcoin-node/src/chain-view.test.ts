import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decodeHex, displayHash, headerHash, parseHeader } from "@cairn/bitcoin";
import { createBitcoinRpc } from "./bitcoin-rpc.ts";
import { type ChainViewCode, ChainViewError, createChainView } from "./chain-view.ts";
import { BitcoinRpcError } from "./rpc-error.ts";
import { fundedCoin, openRegtest, testWallet, withRegtest } from "./testing/regtest-fixture.ts";
import type { BitcoinRpc } from "./types.ts";

const view = (...nodes: [BitcoinRpc, ...BitcoinRpc[]]) => createChainView({ nodes, network: "regtest", checkDepth: 2 });

/** A node that answers as another one does, but for some lies. */
const lying = (rpc: BitcoinRpc, lies: Partial<BitcoinRpc>): BitcoinRpc => ({ ...rpc, ...lies });

function isFault(code: ChainViewCode) {
  return (error: unknown): boolean => error instanceof ChainViewError && error.code === code;
}

describe("a view of the best chain", () => {
  it("follows blocks and reorgs of an honest node, and reads its blocks", async () => {
    await withRegtest(async ({ node, rpc }) => {
      await fundedCoin(node);
      const chain = view(rpc);
      assert.equal(await chain.tip(), node.height());
      const hash = (await chain.blockHash(node.height())) ?? "";
      assert.deepEqual(await chain.block(hash), await rpc.getBlock(hash));
      assert.equal(await chain.blockHash(node.height() + 1), null);
      await node.invalidateBlock((await rpc.getBlockHash(node.height() - 3)) ?? "");
      assert.equal(await chain.tip(), node.height());
      const { tip, highestTip, tipTimeMs = 0 } = chain.status() ?? {};
      assert.deepEqual([tip, highestTip], [node.height(), node.height() + 4], "a chain that shrank is told");
      assert.ok(Math.abs(tipTimeMs - Date.now()) < 600_000);
      await node.mine(60);
      assert.equal(await chain.tip(), node.height());
      assert.equal(chain.status()?.highestTip, node.height());
    });
  });

  it("refuses another network by its genesis", async () => {
    await withRegtest(async ({ rpc }) => {
      const mainnet = createChainView({ nodes: [rpc], network: "mainnet", checkDepth: 5 });
      await assert.rejects(mainnet.tip(), isFault("wrong-network"));
      assert.equal(mainnet.status(), undefined);
    });
  });

  it("refuses headers that are not what they are called, have no work, or do not follow each other", async () => {
    await withRegtest(async ({ node, rpc }) => {
      await node.mine(3);
      const header = (hash: string) => rpc.getBlockHeader(hash);
      const tipHash = node.bestBlockHash();
      const genesis = await header(node.genesisHash);
      const swapped = lying(rpc, { getBlockHeader: async () => genesis });
      await assert.rejects(view(swapped).tip(), isFault("false-block"));
      const cheap = withoutWork((await header(tipHash)) ?? new Uint8Array(80));
      const unworked = lying(rpc, {
        getBlockHash: async (height) => (height === 0 ? node.genesisHash : cheap.hash),
        getBlockHeader: async () => cheap.bytes,
      });
      await assert.rejects(view(unworked).tip(), isFault("no-proof-of-work"));
      const parentless = lying(rpc, { getBlockHeader: async (hash) => (hash === tipHash ? header(hash) : null) });
      await assert.rejects(view(parentless).tip(), isFault("broken-chain"));
      const short = lying(rpc, { getBlockHeader: async () => decodeHex("00") });
      await assert.rejects(view(short).tip(), isFault("false-block"));
    });
  });

  it("refuses a block that does not hash to its id, has other transactions, or is none", async () => {
    await withRegtest(async ({ node, rpc }) => {
      await node.fundAddress(testWallet().address, 10_000n);
      await node.mine(1);
      const [own, other] = [node.bestBlockHash(), (await rpc.getBlockHash(1)) ?? ""];
      const real = (await rpc.getBlock(own)) ?? new Uint8Array();
      const altered = Uint8Array.from(real);
      // Inside the coinbase, before its witness.
      altered[90] = (altered[90] ?? 0) ^ 1;
      for (const bytes of [await rpc.getBlock(other), altered, real.subarray(0, 90), new Uint8Array()]) {
        const liar = lying(rpc, { getBlock: async () => bytes });
        await assert.rejects(view(liar).block(own), isFault("false-block"));
      }
      assert.equal(await view(rpc).block("11".repeat(32)), null);
    });
  });

  it("asks further nodes: a silent one is counted, one ahead told, one that denies the chain an error", async () => {
    await withRegtest(async ({ node, rpc, dir }) => {
      const silent = createBitcoinRpc({ url: "http://127.0.0.1:1", timeoutMs: 500 });
      const quiet = view(rpc, silent);
      await quiet.tip();
      assert.deepEqual([quiet.status()?.silent, quiet.status()?.behind], [1, 0]);
      const ahead = lying(rpc, { getBlockCount: async () => node.height() + 9 });
      const late = view(rpc, ahead);
      await late.tip();
      assert.equal(late.status()?.behind, 9);
      const other = await openRegtest(`${dir}-other`);
      try {
        await assert.rejects(view(rpc, createBitcoinRpc({ url: other.url })).tip(), isFault("nodes-disagree"));
      } finally {
        await other.close();
      }
    });
  });

  it("passes on that a node cannot be reached, and goes on when it can", async () => {
    await withRegtest(async ({ node, rpc }) => {
      let isDown = true;
      const flaky = lying(rpc, {
        getBlockCount: async () => {
          if (isDown) throw new BitcoinRpcError({ code: "unreachable", method: "getblockcount", message: "down" });
          return rpc.getBlockCount();
        },
      });
      const chain = view(flaky);
      await assert.rejects(chain.tip(), BitcoinRpcError);
      isDown = false;
      assert.equal(await chain.tip(), node.height());
    });
  });
});

/** A header with bits that state a mainnet-like target it does not meet. */
function withoutWork(bytes: Uint8Array): { readonly bytes: Uint8Array; readonly hash: string } {
  const copy = Uint8Array.from(bytes);
  copy.set([0xff, 0xff, 0x00, 0x1d], 72);
  return { bytes: copy, hash: displayHash(headerHash(parseHeader(copy))) };
}
