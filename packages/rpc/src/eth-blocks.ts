/** Owns the handlers of `eth` for blocks, transactions, receipts and sending. Unknown things are `null`. */
import type { BlockSelector, CallContext, ethBlocks, Handlers } from "@cairn/api";
import type { Chain } from "@cairn/chain";
import { bytesToHex, type Hash } from "@cairn/primitives";
import { atBlock, quantityJson } from "./block-ref.ts";
import { sendRaw } from "./eth-send.ts";
import type { RpcSettings } from "./options.ts";
import { pooledTransaction } from "./pooled-json.ts";
import { nullPowFields, wantsNullPowFields } from "./pow-fields.ts";
import { createTextCache, type TextCache } from "./text-cache.ts";

/** What the handlers read from. */
interface Blocks {
  readonly chain: Chain;
  /** Blocks and their receipts as they were answered lately: committed blocks never change. */
  readonly texts: TextCache;
}

/** Characters of kept texts, each one byte. */
const KEPT_CHARS = 32 * 1024 * 1024;

function blockJson({ chain, texts }: Blocks, selector: BlockSelector, full: boolean): string | Promise<string> {
  return atBlock(chain, selector, (block) => {
    if (block === "pending") return chain.reads.blockJson(block, full);
    return texts.get(`${full ? "full" : "hashes"} ${block}`, () => chain.reads.blockJson(block, full));
  });
}

function receiptsJson({ chain, texts }: Blocks, selector: BlockSelector): string | Promise<string> {
  return atBlock(chain, selector, (block) => {
    if (block === "pending") return chain.reads.blockReceiptsJson(block);
    return texts.get(`receipts ${block}`, () => chain.reads.blockReceiptsJson(block));
  });
}

function headerJson({ chain }: Blocks, selector: BlockSelector): string | Promise<string> {
  return atBlock(chain, selector, (block) => chain.reads.headerJson(block));
}

function countJson({ chain }: Blocks, selector: BlockSelector): string | Promise<string> {
  return atBlock(chain, selector, (block) => {
    const count = chain.reads.transactionCount(block);
    return count === null ? null : quantityJson(count);
  });
}

function transactionAt({ chain }: Blocks, selector: BlockSelector, index: number): string | Promise<string> {
  return atBlock(chain, selector, (block) => chain.reads.transactionByIndexJson(block, index));
}

/** The raw bytes of a transaction, committed or pooled. */
export function rawTransaction(chain: Chain, hash: Hash): Uint8Array | undefined {
  return chain.reads.rawTransaction(hash) ?? chain.pool.get(hash)?.raw;
}

function rawJson(chain: Chain, hash: Hash | undefined): string {
  const raw = hash === undefined ? undefined : rawTransaction(chain, hash);
  return raw === undefined ? "null" : `"${bytesToHex(raw)}"`;
}

async function rawAt(blocks: Blocks, selector: BlockSelector, index: number): Promise<string> {
  const json = await transactionAt(blocks, selector, index);
  const transaction: { readonly hash: Hash } | null = JSON.parse(json);
  return rawJson(blocks.chain, transaction?.hash);
}

function transactionHandlers(blocks: Blocks) {
  const { chain } = blocks;
  const byNumberAndIndex = ([block, index]: readonly [BlockSelector, number]) => transactionAt(blocks, block, index);
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
    eth_getRawTransactionByBlockHashAndIndex: ([block, index]) => rawAt(blocks, block, index),
    eth_getRawTransactionByBlockNumberAndIndex: ([block, index]) => rawAt(blocks, block, index),
    eth_getTransactionReceipt: ([hash]) => chain.reads.receiptJson(hash) ?? "null",
  } satisfies Partial<Handlers<typeof ethBlocks>>;
}

function headerHandlers(blocks: Blocks, settings: RpcSettings) {
  const shown = (context: CallContext, json: string): string =>
    wantsNullPowFields(settings, context) ? nullPowFields(json) : json;
  return {
    eth_getBlockByNumber: async ([block, full], context) => shown(context, await blockJson(blocks, block, full)),
    eth_getBlockByHash: async ([block, full], context) => shown(context, await blockJson(blocks, block, full)),
    eth_getHeaderByNumber: async ([block], context) => shown(context, await headerJson(blocks, block)),
    eth_getHeaderByHash: async ([block], context) => shown(context, await headerJson(blocks, block)),
  } satisfies Partial<Handlers<typeof ethBlocks>>;
}

/** The handlers of the block part of `eth`. */
export function ethBlockHandlers(chain: Chain, settings: RpcSettings): Handlers<typeof ethBlocks> {
  const texts = createTextCache(KEPT_CHARS);
  const blocks: Blocks = { chain, texts };
  return {
    ...headerHandlers(blocks, settings),
    eth_getBlockTransactionCountByNumber: ([block]) => countJson(blocks, block),
    eth_getBlockTransactionCountByHash: ([block]) => countJson(blocks, block),
    eth_getBlockReceipts: ([selector]) => receiptsJson(blocks, selector),
    ...transactionHandlers(blocks),
    eth_sendRawTransaction: async ([raw]) => `"${await sendRaw(chain, settings, raw)}"`,
  };
}
