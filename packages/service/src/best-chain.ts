/** What a Bitcoin node says about a height: the trust root of a receipt's anchor. */
import { join } from "node:path";
import { type BitcoinRpc, createBitcoinRpc, createRegtest } from "@cairn/bitcoin-node";
import type { BestChainAnswer } from "@cairn/proofs";

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** Asks a node (`http://user:password@host:port`) for the block at a height. Throws BitcoinRpcError. */
export function askBitcoinNode(url: string, height: number): Promise<BestChainAnswer> {
  return ask(createBitcoinRpc({ url }), height);
}

/** Asks the regtest that a stopped sandbox left in its home. Throws `NoRegtestError` when the home holds none. */
export async function askStoppedRegtest(home: string, height: number): Promise<BestChainAnswer> {
  const credentials = { user: "verify", password: "verify" };
  const dir = join(home, "bitcoin");
  const regtest = await createRegtest({ dir, mustExist: true, blockIntervalMs: 0, ...credentials, log: SILENT });
  try {
    return await askBitcoinNode(regtest.url, height);
  } finally {
    await regtest.close();
  }
}

async function ask(rpc: BitcoinRpc, height: number): Promise<BestChainAnswer> {
  const tip = await rpc.getBlockCount();
  const genesisHash = await rpc.getBlockHash(0);
  const blockHash = height > tip ? null : await rpc.getBlockHash(height);
  return { kind: "node", genesisHash: genesisHash ?? "", blockHash, tip };
}
