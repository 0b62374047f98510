/**
 * Owns the pending block: what a proposal made now would hold. It is not executed: `stateRoot` is that of the head,
 * receipts and gas used are empty; hash, nonce and miner are null, as in geth.
 */
import type { Chain } from "@cairn/chain";
import { bytesToHex, emptyTrieRoot, listTrieRoot, quantityToHex } from "@cairn/primitives";
import { pooledTransaction } from "./pooled-json.ts";

const EMPTY_UNCLES = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347";
const EMPTY_REQUESTS = "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const ZERO_HASH = `0x${"0".repeat(64)}`;
const ZERO_BLOOM = `0x${"0".repeat(512)}`;

function constants(): object {
  return {
    sha3Uncles: EMPTY_UNCLES,
    logsBloom: ZERO_BLOOM,
    difficulty: "0x0",
    extraData: "0x",
    mixHash: ZERO_HASH,
    withdrawalsRoot: bytesToHex(emptyTrieRoot()),
    blobGasUsed: "0x0",
    excessBlobGas: "0x0",
    requestsHash: EMPTY_REQUESTS,
    receiptsRoot: bytesToHex(emptyTrieRoot()),
    gasUsed: "0x0",
    hash: null,
    nonce: null,
    miner: null,
  };
}

/** Header fields of the pending block as plain data. */
export function pendingHeader(chain: Chain): object {
  const head = chain.head();
  const now = BigInt(Math.floor(Date.now() / 1000));
  return {
    ...constants(),
    number: quantityToHex(head.number + 1n),
    parentHash: head.hash,
    stateRoot: head.stateRoot,
    transactionsRoot: bytesToHex(listTrieRoot(chain.pool.selection().map((tx) => tx.raw))),
    gasLimit: quantityToHex(head.gasLimit),
    timestamp: quantityToHex(now > head.timestamp ? now : head.timestamp),
    baseFeePerGas: quantityToHex(head.nextBaseFeePerGasWei),
    parentBeaconBlockRoot: head.consensusHash === "0x" ? ZERO_HASH : head.consensusHash,
  };
}

/** The pending block as JSON text. */
export function pendingBlockJson(chain: Chain, fullTransactions: boolean): string {
  const txs = chain.pool.selection();
  const size = txs.reduce((sum, tx) => sum + tx.size, 0);
  return JSON.stringify({
    ...pendingHeader(chain),
    totalDifficulty: "0x0",
    size: quantityToHex(size),
    uncles: [],
    transactions: fullTransactions ? txs.map(pooledTransaction) : txs.map((tx) => tx.hash),
    withdrawals: [],
  });
}
