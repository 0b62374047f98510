/** Owns finding the block a parameter names, and what an unknown one answers. */
import { type BlockSelector, rpcError } from "@cairn/api";
import type { Chain } from "@cairn/chain";

/** A committed block as the native core takes it. */
export type BlockRef = NonNullable<ReturnType<Chain["resolve"]>>;

/** The block for reads of state; throws `header not found` (by hash: `header for hash not found`). */
export function stateBlock(chain: Chain, selector: BlockSelector): BlockRef {
  const block = chain.resolve(selector);
  if (block !== undefined) return block;
  const byHash = typeof selector === "string" && selector.startsWith("0x");
  throw byHash ? rpcError("header-for-hash-not-found", {}) : rpcError("header-not-found", {});
}

/** The value when there is one; a block that vanished meanwhile throws `header not found`. */
export function found<T>(value: T | undefined | null): T {
  if (value === undefined || value === null) throw rpcError("header-not-found", {});
  return value;
}

/** JSON text of a quantity. */
export function quantityJson(n: bigint | number): string {
  return `"0x${n.toString(16)}"`;
}
