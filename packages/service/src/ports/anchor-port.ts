/** `AnchorPort` over a Bitcoin node's RPC and the anchor wallet. Owns the fee; not when to anchor. */
import type { AnchorCoin, AnchorPort, BroadcastOutcome } from "@cairn/aggregator";
import { displayHash, parseBlock, transactionId } from "@cairn/bitcoin";
import type { AnchorWallet, BitcoinRpc, Coin } from "@cairn/bitcoin-node";
import type { BitcoinNetwork } from "@cairn/proofs";

const FEE_TARGET_BLOCKS = 6;
const FALLBACK_SAT_PER_VBYTE = 2;
/** No anchor pays more, whatever the node estimates. */
const MAX_SAT_PER_VBYTE = 200;

/** Makes the port; nothing is called before its methods are. */
export function createAnchorPort(o: {
  readonly rpc: BitcoinRpc;
  readonly wallet: AnchorWallet;
  readonly network: BitcoinNetwork;
  readonly funding: () => Promise<AnchorCoin | undefined>;
}): AnchorPort {
  return {
    network: o.network,
    tip: () => o.rpc.getBlockCount(),
    blockHash: (height) => o.rpc.getBlockHash(height),
    block: (hash) => o.rpc.getBlock(hash),
    txids: (block) => parseBlock(block).transactions.map((tx) => displayHash(transactionId(tx))),
    funding: o.funding,
    sign: async ({ input, data }) => {
      const coin: Coin = { ...input, valueSat: BigInt(input.valueSat) };
      const rate = await feeRate(o.rpc);
      const sized = o.wallet.buildAnchor({ input: coin, data, feeSat: 0n });
      const built = o.wallet.buildAnchor({ input: coin, data, feeSat: BigInt(Math.ceil(sized.vsize * rate)) });
      const change = { ...built.change, valueSat: Number(built.change.valueSat) };
      return { rawTx: built.rawTx, txid: built.txid, change, feeSat: Number(built.feeSat) };
    },
    broadcast: async (rawTx): Promise<BroadcastOutcome> => {
      const outcome = await o.rpc.sendRawTransaction(rawTx);
      if (outcome.ok) return { ok: true };
      const code = outcome.code === "missing-inputs" ? "missing-inputs" : "rejected";
      return { ok: false, code, message: outcome.message };
    },
  };
}

async function feeRate(rpc: BitcoinRpc): Promise<number> {
  const estimated = await rpc.estimateFeeRate(FEE_TARGET_BLOCKS);
  return Math.min(MAX_SAT_PER_VBYTE, Math.max(1, estimated ?? FALLBACK_SAT_PER_VBYTE));
}
