/** Owns finding the block a parameter names, and what an unknown one answers. */
import { type BlockSelector, rpcError } from "@cairn/api";
import type { Chain, ChainReads } from "@cairn/chain";

/** A committed block as the native core takes it. */
export type BlockRef = NonNullable<ReturnType<Chain["resolve"]>>;

/** A committed block or the pending one. */
export type ReadRef = Parameters<ChainReads["headerJson"]>[0];

/** The committed block for reads of state; throws `header not found` (by hash: `header for hash not found`). */
export function stateBlock(chain: Chain, selector: BlockSelector): BlockRef {
  const block = chain.resolve(selector);
  if (block !== undefined) return block;
  const byHash = typeof selector === "string" && selector.startsWith("0x");
  throw byHash ? rpcError("header-for-hash-not-found", {}) : rpcError("header-not-found", {});
}

/** Reads state at the block a parameter names, the pending one included; throws as `stateBlock`. */
export function atState<T>(
  chain: Chain,
  selector: BlockSelector,
  read: (block: ReadRef) => T | Promise<T>,
): T | Promise<T> {
  return selector === "pending" ? chain.pending().then(read) : read(stateBlock(chain, selector));
}

/** Reads JSON text of the block a parameter names, the pending one included; `null` for an unknown one. */
export function atBlock(
  chain: Chain,
  selector: BlockSelector,
  read: (block: ReadRef) => string | null | Promise<string | null>,
): string | Promise<string> {
  if (selector === "pending") {
    return chain
      .pending()
      .then(read)
      .then((json) => json ?? "null");
  }
  const block = chain.resolve(selector);
  const json = block === undefined ? null : read(block);
  return json instanceof Promise ? json.then((text) => text ?? "null") : (json ?? "null");
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
