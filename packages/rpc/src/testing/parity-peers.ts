/** For tests: this node and geth on the same genesis, asked the same. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { mnemonicToAccount, privateKeyToAccount } from "viem/accounts";
import { type GethNode, gethBinary, startGeth } from "./geth-node.ts";
import { type LiveNode, startLiveNode, testGenesis } from "./live-node.ts";
import { parityAlloc } from "./parity-alloc.ts";

/** What two chains of the same state differ in all the same: what a header or a transaction hashes to. */
const HASHED = /^(hash|parentHash|.*Root|transactions|size|totalDifficulty|blockHash|transactionHash|extraData)$/;

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => !HASHED.test(name));
  return Object.fromEntries(entries.map(([name, member]) => [name, comparable(member)]));
}

const MNEMONIC = "test test test test test test test test test test test junk";

/** Has coins. */
export const alice = mnemonicToAccount(MNEMONIC, { addressIndex: 0 });
/** Signs authorizations, and receives. */
export const bob = privateKeyToAccount(`0x${"0b".repeat(32)}`);
/** Has no coins. */
export const poor = privateKeyToAccount(`0x${"0d".repeat(32)}`);

interface ParityPeers {
  /** Asks both and asserts that they answer the same. */
  same(method: string, ...params: unknown[]): Promise<void>;
  close(): Promise<void>;
}

async function startParityPeers(binary: string): Promise<ParityPeers> {
  const node: LiveNode = await startLiveNode({ alloc: parityAlloc });
  const geth: GethNode = await startGeth(binary, testGenesis(parityAlloc));
  return {
    async same(method, ...params) {
      const [ours, theirs] = await Promise.all([node.rpc(method, ...params), geth.rpc(method, ...params)]);
      const shown = ({ result, error }: typeof ours) => (error === undefined ? comparable(result) : { error });
      assert.deepEqual(shown(ours), shown(theirs), `${method} ${JSON.stringify(params).slice(0, 300)}`);
    },
    async close() {
      await geth.close();
      await node.close();
      assert.deepEqual(node.faults, []);
    },
  };
}

/** Starts both before the tests of the enclosing suite and closes them after; answers how both are asked. */
export function withParityPeers(): ParityPeers["same"] {
  let peers: ParityPeers | undefined;
  before(async () => {
    peers = await startParityPeers(gethBinary ?? "");
  });
  after(() => peers?.close());
  return async (method, ...params) => {
    assert.ok(peers);
    await peers.same(method, ...params);
  };
}
