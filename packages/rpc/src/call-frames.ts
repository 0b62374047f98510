/** Owns reading the call tree of a transaction, as `callTracer` answers it. */
import { rpcError } from "@cairn/api";
import type { Chain } from "@cairn/chain";
import type { Hash, Hex } from "@cairn/primitives";

/** One call, creation or self-destruction. */
export interface CallFrame {
  readonly type: string;
  readonly from: Hex;
  readonly to?: Hex;
  readonly value?: Hex;
  readonly input: Hex;
  readonly output?: Hex;
  readonly error?: string;
  readonly calls?: readonly CallFrame[];
}

/** The call tree of a committed transaction; throws `transaction not found` and why it could not be traced. */
export async function callTree(chain: Chain, hash: Hash): Promise<CallFrame> {
  const outcome = await chain.reads.trace({ kind: "transaction", hash, options: { tracer: "callTracer" } });
  if (outcome.ok) return JSON.parse(outcome.json);
  if (outcome.code === "unknown-transaction") throw rpcError("transaction-not-found", {});
  throw rpcError("trace-failed", { reason: outcome.reason });
}

/** A frame and the frames within it, in the order they began, with their depths. */
export function* walk(root: CallFrame): Generator<{ readonly frame: CallFrame; readonly depth: number }> {
  const open = [{ frame: root, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next;
    const { frame, depth } = next;
    for (const call of [...(frame.calls ?? [])].reverse()) open.push({ frame: call, depth: depth + 1 });
  }
}
