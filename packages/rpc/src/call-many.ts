/** Owns `eth_callMany`: its bounds, and where inside a block its bundles run. */
import { type CallManyContext, type CallManyParam, rpcError, type StateOverridesParam } from "@cairn/api";
import type { Chain } from "@cairn/chain";
import { atState, type ReadRef } from "./block-ref.ts";
import { message, nativeBlockOverrides, nativeLimits, nativeStateOverrides } from "./call-request.ts";
import type { RpcSettings } from "./options.ts";

const MAX_CALLS = 1_000;

/** Bundles, where they run, what they see differently, and how long they may take. */
export interface CallMany {
  readonly bundles: CallManyParam;
  readonly context: CallManyContext;
  readonly stateOverrides: StateOverridesParam;
  readonly timeoutMs: bigint | undefined;
}

function checkSize(bundles: CallManyParam): void {
  if (bundles.length === 0) throw rpcError("empty-bundles", {});
  const calls = bundles.reduce((sum, { transactions }) => sum + transactions.length, 0);
  if (calls > MAX_CALLS) throw rpcError("too-many-calls", { most: MAX_CALLS });
}

/** The node's limits, with a shorter time where the caller asks for one. */
function limits(settings: RpcSettings, askedMs: bigint | undefined) {
  const allowed = nativeLimits(settings);
  if (askedMs === undefined || askedMs === 0n) return allowed;
  const most = allowed.timeoutMs ?? 0;
  const asked = askedMs > 3_600_000n ? 3_600_000 : Number(askedMs);
  return { ...allowed, timeoutMs: most === 0 ? asked : Math.min(asked, most) };
}

/** JSON text: per bundle an array of `value` or `error` per call. Throws `RpcError`. */
export async function callMany(chain: Chain, settings: RpcSettings, request: CallMany): Promise<string> {
  const { bundles, context, stateOverrides, timeoutMs } = request;
  checkSize(bundles);
  const { transactionIndex } = context;
  const run = (block: ReadRef) =>
    chain.reads.callMany({
      bundles: bundles.map(({ transactions, blockOverride }) => ({
        calls: transactions.map((call) => message(chain, call)),
        blockOverrides: nativeBlockOverrides(blockOverride),
      })),
      block,
      ...(transactionIndex === undefined || transactionIndex < 0 ? {} : { transactions: transactionIndex }),
      stateOverrides: nativeStateOverrides(stateOverrides),
      ...limits(settings, timeoutMs),
    });
  const outcome = await atState(chain, context.blockNumber, run);
  if (outcome.ok) return outcome.json;
  if (outcome.code === "refused") throw rpcError("call-refused", { reason: outcome.reason });
  throw rpcError("header-not-found", {});
}
