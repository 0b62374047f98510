/** Owns the handlers of `ots`, which the Otterscan explorer asks beside `eth`. */
import type { Handlers, ots } from "@cairn/api";
import type { Chain } from "@cairn/chain";
import { type Address, type Hash, quantityToHex } from "@cairn/primitives";
import { type BlockRef, found, stateBlock } from "./block-ref.ts";
import { type CallFrame, callTree, walk } from "./call-frames.ts";
import { searchTransactions } from "./ots-search.ts";

const API_LEVEL = 8;
const MAX_PAGE = 1_000;
/** Otterscan's numbers of operations. */
const OPERATIONS: Readonly<Record<string, number>> = { CALL: 0, SELFDESTRUCT: 1, CREATE: 2, CREATE2: 3 };
const NO_ISSUANCE = { blockReward: "0x0", uncleReward: "0x0", issuance: "0x0" };

interface BlockObject extends Readonly<Record<string, unknown>> {
  readonly timestamp: string;
  readonly transactions: readonly { readonly input: string }[];
}

interface ReceiptObject extends Readonly<Record<string, unknown>> {
  readonly gasUsed: string;
  readonly effectiveGasPrice: string;
}

function traceEntry(frame: CallFrame, depth: number) {
  const { type, from, to, value, input, output = "0x" } = frame;
  return { type, depth, from, to: to ?? null, value: value ?? null, input, output };
}

function operations(root: CallFrame): object[] {
  const all = [...walk(root)].filter(({ depth }) => depth > 0).map(({ frame }) => frame);
  const moves = all.filter(({ type, value = "0x0" }) => type in OPERATIONS && (type !== "CALL" || BigInt(value) > 0n));
  return moves.map(({ type, from, to, value = "0x0" }) => ({ type: OPERATIONS[type], from, to: to ?? null, value }));
}

async function blockDetails(chain: Chain, block: BlockRef | undefined): Promise<string> {
  if (block === undefined) return "null";
  const [blockJson, receiptsJson] = await Promise.all([
    chain.reads.blockJson(block, false),
    chain.reads.blockReceiptsJson(block),
  ]);
  const { transactions, ...details }: BlockObject = JSON.parse(found(blockJson));
  const receipts: ReceiptObject[] = JSON.parse(found(receiptsJson));
  const fees = receipts.reduce(
    (sum, { gasUsed, effectiveGasPrice }) => sum + BigInt(gasUsed) * BigInt(effectiveGasPrice),
    0n,
  );
  const shown = { ...details, logsBloom: null, transactionCount: transactions.length };
  return JSON.stringify({ block: shown, issuance: NO_ISSUANCE, totalFees: quantityToHex(fees) });
}

async function blockPage(chain: Chain, block: BlockRef | undefined, page: bigint, size: bigint): Promise<string> {
  if (block === undefined) return "null";
  const [blockJson, receiptsJson] = await Promise.all([
    chain.reads.blockJson(block, true),
    chain.reads.blockReceiptsJson(block),
  ]);
  const full: BlockObject = JSON.parse(found(blockJson));
  const receipts: ReceiptObject[] = JSON.parse(found(receiptsJson));
  const length = Math.min(Number(size), MAX_PAGE);
  const end = Math.max(0, full.transactions.length - Number(page) * length);
  const start = Math.max(0, end - length);
  const transactions = full.transactions.slice(start, end).map((tx) => ({ ...tx, input: tx.input.slice(0, 10) }));
  const short = receipts.slice(start, end);
  return JSON.stringify({
    fullblock: { ...full, logsBloom: null, transactionCount: full.transactions.length, transactions },
    receipts: short.map((receipt) => ({ ...receipt, logs: null, logsBloom: null, timestamp: full.timestamp })),
  });
}

/** The first height for which `holds` is true, when it is true at the head and stays so once it is. */
function firstHeight(chain: Chain, holds: (height: bigint) => boolean): bigint | undefined {
  let [low, high] = [0n, chain.head().number];
  if (!holds(high)) return undefined;
  while (low < high) {
    const middle = (low + high) / 2n;
    if (holds(middle)) high = middle;
    else low = middle + 1n;
  }
  return low;
}

interface Named {
  readonly hash: Hash;
  readonly from: Address;
  readonly nonce: string;
}

async function bySenderAndNonce(chain: Chain, sender: Address, nonce: bigint): Promise<string> {
  const height = firstHeight(chain, (at) => (chain.reads.account(sender, at)?.nonce ?? 0n) > nonce);
  if (height === undefined) return "null";
  const { transactions }: { transactions: readonly Named[] } = JSON.parse(
    found(await chain.reads.blockJson(height, true)),
  );
  const match = transactions.find((tx) => tx.from === sender && BigInt(tx.nonce) === nonce);
  return JSON.stringify(match?.hash ?? null);
}

interface Traced {
  readonly txHash: Hash;
  readonly result?: CallFrame;
}

async function contractCreator(chain: Chain, contract: Address): Promise<string> {
  const height = firstHeight(chain, (at) => (chain.reads.code(contract, at)?.length ?? 0) > 0);
  if (height === undefined || height === 0n) return "null";
  const outcome = await chain.reads.trace({ kind: "block", block: height, options: { tracer: "callTracer" } });
  if (!outcome.ok) return "null";
  const entries: readonly Traced[] = JSON.parse(outcome.json);
  for (const { txHash, result } of entries) {
    for (const { frame } of result === undefined ? [] : walk(result)) {
      if (frame.type.startsWith("CREATE") && frame.to === contract && frame.error === undefined) {
        return JSON.stringify({ hash: txHash, creator: frame.from });
      }
    }
  }
  return "null";
}

/** The handlers of `ots`. */
export function otsHandlers(chain: Chain): Handlers<typeof ots> {
  const { reads } = chain;
  return {
    ots_getApiLevel: () => String(API_LEVEL),
    ots_hasCode: ([address, block]) => String(found(reads.code(address, stateBlock(chain, block))).length > 0),
    ots_getHeaderByNumber: ([number]) => {
      const block = chain.resolve(number);
      return (block === undefined ? null : reads.headerJson(block)) ?? "null";
    },
    ots_getBlockDetails: ([number]) => blockDetails(chain, chain.resolve(number)),
    ots_getBlockDetailsByHash: ([hash]) => blockDetails(chain, chain.resolve(hash)),
    ots_getBlockTransactions: ([number, page, size]) => blockPage(chain, chain.resolve(number), page, size),
    ots_getTransactionError: async ([hash]) => {
      const { error, output = "0x" } = await callTree(chain, hash);
      return JSON.stringify(error === undefined ? "0x" : output);
    },
    ots_traceTransaction: async ([hash]) =>
      JSON.stringify([...walk(await callTree(chain, hash))].map(({ frame, depth }) => traceEntry(frame, depth))),
    ots_getInternalOperations: async ([hash]) => JSON.stringify(operations(await callTree(chain, hash))),
    ots_getTransactionBySenderAndNonce: ([sender, nonce]) => bySenderAndNonce(chain, sender, nonce),
    ots_searchTransactionsBefore: ([address, block, pageSize]) =>
      searchTransactions(chain, { address, block, pageSize, direction: "before" }),
    ots_searchTransactionsAfter: ([address, block, pageSize]) =>
      searchTransactions(chain, { address, block, pageSize, direction: "after" }),
    ots_getContractCreator: ([address]) => contractCreator(chain, address),
  };
}
