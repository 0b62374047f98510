/**
 * Owns the pending block: what a proposal made now would hold. It is not executed: `stateRoot` is that of the head,
 * receipts and gas used are empty; hash, nonce and miner are null, as in geth.
 */
import type { Chain, PooledTx } from "@cairn/chain";
import { bytesToHex, emptyTrieRoot, type Hash, listTrieRoot, quantityToHex } from "@cairn/primitives";
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

/** The pending block. It is kept while the pool looks the same: its trie root costs a hash per transaction. */
export interface PendingBlock {
  /** JSON text of the header. */
  headerJson(): string;
  /** JSON text of the block. */
  blockJson(fullTransactions: boolean): string;
  /** Its transactions in their order. */
  transactions(): readonly PooledTx[];
}

/** A replacement leaves the count of transactions as it was: so old a block is built anew anyway. */
const MAX_AGE_MS = 250;
/** A block that takes longer to build is built anew at most a tenth of the time. */
const CHEAP_BUILD_MS = 2;

interface Built {
  readonly parent: Hash;
  readonly poolSize: number;
  readonly atMs: number;
  readonly buildMs: number;
  readonly txs: readonly PooledTx[];
  readonly header: object;
}

function build(chain: Chain, clock: () => number): Built {
  const nowMs = clock();
  const head = chain.head();
  const txs = chain.pool.selection();
  const now = BigInt(Math.floor(nowMs / 1000));
  const header = {
    ...constants(),
    number: quantityToHex(head.number + 1n),
    parentHash: head.hash,
    stateRoot: head.stateRoot,
    transactionsRoot: bytesToHex(listTrieRoot(txs.map((tx) => tx.raw))),
    gasLimit: quantityToHex(head.gasLimit),
    timestamp: quantityToHex(now > head.timestamp ? now : head.timestamp),
    baseFeePerGas: quantityToHex(head.nextBaseFeePerGasWei),
    parentBeaconBlockRoot: head.consensusHash === "0x" ? ZERO_HASH : head.consensusHash,
  };
  return {
    parent: head.hash,
    poolSize: chain.pool.status().pending,
    atMs: nowMs,
    buildMs: clock() - nowMs,
    txs,
    header,
  };
}

function isFresh(chain: Chain, built: Built, nowMs: number): boolean {
  const ageMs = nowMs - built.atMs;
  if (built.parent !== chain.head().hash || ageMs > Math.max(MAX_AGE_MS, 10 * built.buildMs)) return false;
  if (built.poolSize === chain.pool.status().pending) return true;
  return built.buildMs > CHEAP_BUILD_MS && ageMs < 10 * built.buildMs;
}

/** The pending block on top of the chain's head. `clock` in milliseconds since 1970. */
export function createPendingBlock(chain: Chain, clock: () => number = Date.now): PendingBlock {
  let built: Built | undefined;
  const current = (): Built => {
    if (built === undefined || !isFresh(chain, built, clock())) built = build(chain, clock);
    return built;
  };
  return {
    headerJson: () => JSON.stringify(current().header),
    blockJson(fullTransactions) {
      const { header, txs } = current();
      const size = txs.reduce((sum, tx) => sum + tx.size, 0);
      const transactions = fullTransactions ? txs.map(pooledTransaction) : txs.map((tx) => tx.hash);
      const body = { totalDifficulty: "0x0", size: quantityToHex(size), uncles: [], transactions, withdrawals: [] };
      return JSON.stringify({ ...header, ...body });
    },
    transactions: () => current().txs,
  };
}
