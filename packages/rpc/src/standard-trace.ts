/** Owns traces in geth's standard form: which transactions of a block, in which files. Writing is the native core's. */
import { randomInt } from "node:crypto";
import { rpcError, type StandardTraceConfig } from "@cairn/api";
import type { Chain } from "@cairn/chain";
import type { Hash } from "@cairn/primitives";
import type { DebugDirectory } from "./debug-directory.ts";

const RANDOM = 2 ** 32;
/** The native core's longest time for one transaction. */
const TIMEOUT_MS = 120_000;

/** geth's name: eight digits of the block's hash, index, eight digits of the transaction's, and a number of chance. */
function fileName(block: Hash, index: number, tx: Hash): string {
  return `block_${block.slice(0, 10)}-${index}-${tx.slice(0, 10)}-${randomInt(RANDOM)}`;
}

async function transactionsOf(chain: Chain, block: Hash): Promise<readonly Hash[]> {
  const { transactions }: { transactions: readonly Hash[] } = JSON.parse(
    (await chain.reads.blockJson(block, false)) ?? "null",
  ) ?? { transactions: [] };
  return transactions;
}

/** Traces a block, or one transaction of it, into files: JSON text of their paths. What fails leaves no file. */
export async function standardTrace(
  chain: Chain,
  directory: DebugDirectory,
  block: Hash,
  { txHash, ...options }: StandardTraceConfig,
): Promise<string> {
  const number = chain.reads.blockNumber(block);
  if (number === undefined) throw rpcError("block-hash-not-found", { hash: block });
  const hashes = await transactionsOf(chain, block);
  if (txHash !== undefined && !hashes.includes(txHash)) throw rpcError("transaction-not-in-block", { hash: txHash });
  if (number === 0n) throw rpcError("genesis-not-traceable", {});
  const named = hashes.map((hash, index) =>
    txHash === undefined || hash === txHash ? fileName(block, index, hash) : "",
  );
  const names = named.filter((name) => name !== "");
  await directory.createAll(names);
  try {
    const files = named.map((name) => (name === "" ? "" : directory.path(name)));
    const traced = { ...options, timeoutMs: TIMEOUT_MS };
    const outcome = await chain.reads.trace({ kind: "files", block, files, options: traced });
    if (!outcome.ok) throw rpcError("trace-failed", { reason: outcome.reason });
    return JSON.stringify(files.filter((file) => file !== ""));
  } catch (error) {
    await directory.removeAll(names);
    throw error;
  }
}
