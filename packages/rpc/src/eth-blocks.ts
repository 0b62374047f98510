/** Owns the handlers of `eth` for blocks, transactions, receipts and sending. Unknown things are `null`. */
import type { BlockSelector, CallContext, ethBlocks, Handlers } from "@cairn/api";
import type { Chain } from "@cairn/chain";
import { bytesToHex, type Hash } from "@cairn/primitives";
import { quantityJson } from "./block-ref.ts";
import { sendRaw } from "./eth-send.ts";
import type { RpcSettings } from "./options.ts";
import { createPendingBlock, type PendingBlock } from "./pending-block.ts";
import { pooledTransaction } from "./pooled-json.ts";
import { nullPowFields, wantsNullPowFields } from "./pow-fields.ts";
import { createTextCache, type TextCache } from "./text-cache.ts";

/** What the handlers read from: committed blocks and the one that would follow. */
interface Blocks {
  readonly chain: Chain;
  readonly pending: PendingBlock;
  /** Blocks and their receipts as they were answered lately: committed blocks never change. */
  readonly texts: TextCache;
}

/** Characters of kept texts, each one byte. */
const KEPT_CHARS = 32 * 1024 * 1024;

async function blockJson({ chain, pending, texts }: Blocks, selector: BlockSelector, full: boolean): Promise<string> {
  if (selector === "pending") return pending.blockJson(full);
  const block = chain.resolve(selector);
  if (block === undefined) return "null";
  return (await texts.get(`${full ? "full" : "hashes"} ${block}`, () => chain.reads.blockJson(block, full))) ?? "null";
}

function headerJson({ chain, pending }: Blocks, selector: BlockSelector): string {
  if (selector === "pending") return pending.headerJson();
  const block = chain.resolve(selector);
  return (block === undefined ? null : chain.reads.headerJson(block)) ?? "null";
}

function countJson({ chain, pending }: Blocks, selector: BlockSelector): string {
  if (selector === "pending") return quantityJson(pending.transactions().length);
  const block = chain.resolve(selector);
  const count = block === undefined ? null : chain.reads.transactionCount(block);
  return count === null ? "null" : quantityJson(count);
}

function transactionAt({ chain, pending }: Blocks, selector: BlockSelector, index: number): string {
  if (selector === "pending") {
    const pooled = pending.transactions()[index];
    return pooled === undefined ? "null" : JSON.stringify(pooledTransaction(pooled));
  }
  const block = chain.resolve(selector);
  return (block === undefined ? null : chain.reads.transactionByIndexJson(block, index)) ?? "null";
}

/** The raw bytes of a transaction, committed or pooled. */
export function rawTransaction(chain: Chain, hash: Hash): Uint8Array | undefined {
  return chain.reads.rawTransaction(hash) ?? chain.pool.get(hash)?.raw;
}

function rawJson(chain: Chain, hash: Hash | undefined): string {
  const raw = hash === undefined ? undefined : rawTransaction(chain, hash);
  return raw === undefined ? "null" : `"${bytesToHex(raw)}"`;
}

function hashAt(blocks: Blocks, selector: BlockSelector, index: number): Hash | undefined {
  const transaction: { readonly hash: Hash } | null = JSON.parse(transactionAt(blocks, selector, index));
  return transaction?.hash;
}

function transactionHandlers(blocks: Blocks) {
  const { chain } = blocks;
  const byNumberAndIndex = ([block, index]: readonly [BlockSelector, number]): string =>
    transactionAt(blocks, block, index);
  return {
    eth_getTransactionByHash: ([hash]) => {
      const committed = chain.reads.transactionJson(hash);
      if (committed !== null) return committed;
      const pooled = chain.pool.get(hash);
      return pooled === undefined ? "null" : JSON.stringify(pooledTransaction(pooled));
    },
    eth_getTransactionByBlockHashAndIndex: byNumberAndIndex,
    eth_getTransactionByBlockNumberAndIndex: byNumberAndIndex,
    eth_getTransactionbyBlockNumberAndIndex: byNumberAndIndex,
    eth_getRawTransactionByHash: ([hash]) => rawJson(chain, hash),
    eth_getRawTransactionByBlockHashAndIndex: ([block, index]) => rawJson(chain, hashAt(blocks, block, index)),
    eth_getRawTransactionByBlockNumberAndIndex: ([block, index]) => rawJson(chain, hashAt(blocks, block, index)),
    eth_getTransactionReceipt: ([hash]) => chain.reads.receiptJson(hash) ?? "null",
  } satisfies Partial<Handlers<typeof ethBlocks>>;
}

function headerHandlers(blocks: Blocks, settings: RpcSettings) {
  const shown = (context: CallContext, json: string): string =>
    wantsNullPowFields(settings, context) ? nullPowFields(json) : json;
  return {
    eth_getBlockByNumber: async ([block, full], context) => shown(context, await blockJson(blocks, block, full)),
    eth_getBlockByHash: async ([block, full], context) => shown(context, await blockJson(blocks, block, full)),
    eth_getHeaderByNumber: ([block], context) => shown(context, headerJson(blocks, block)),
    eth_getHeaderByHash: ([block], context) => shown(context, headerJson(blocks, block)),
  } satisfies Partial<Handlers<typeof ethBlocks>>;
}

/** The handlers of the block part of `eth`. */
export function ethBlockHandlers(chain: Chain, settings: RpcSettings): Handlers<typeof ethBlocks> {
  const texts = createTextCache(KEPT_CHARS);
  const blocks: Blocks = { chain, pending: createPendingBlock(chain), texts };
  return {
    ...headerHandlers(blocks, settings),
    eth_getBlockTransactionCountByNumber: ([block]) => countJson(blocks, block),
    eth_getBlockTransactionCountByHash: ([block]) => countJson(blocks, block),
    eth_getBlockReceipts: async ([selector]) => {
      if (selector === "pending") return "[]";
      const block = chain.resolve(selector);
      if (block === undefined) return "null";
      return (await texts.get(`receipts ${block}`, () => chain.reads.blockReceiptsJson(block))) ?? "null";
    },
    ...transactionHandlers(blocks),
    eth_sendRawTransaction: async ([raw]) => `"${await sendRaw(chain, settings, raw)}"`,
  };
}
