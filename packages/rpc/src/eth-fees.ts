/**
 * Owns the handlers of `eth` for fees, and the suggestion of a tip: geth's oracle (60th percentile of the last 20
 * blocks) where blocks carry transactions, an eighth of the base fee (one step of its rise) where none do.
 */
import { type ethState, type Handlers, rpcError } from "@cairn/api";
import type { Chain } from "@cairn/chain";
import { type Hash, parseQuantity } from "@cairn/primitives";
import { quantityJson } from "./block-ref.ts";
import type { RpcSettings } from "./options.ts";

const ORACLE_BLOCKS = 20;
const ORACLE_PERCENTILE = 60;
const MAX_TIP_WEI = 500n * 10n ** 9n;
const MAX_PERCENTILES = 100;

interface FeeHistory {
  readonly gasUsedRatio: readonly number[];
  readonly reward?: readonly (readonly string[])[];
}

function median(values: readonly bigint[]): bigint | undefined {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.floor(sorted.length / 2)];
}

async function suggestTip(chain: Chain): Promise<bigint> {
  const head = chain.head();
  const text = await chain.reads.feeHistoryJson(ORACLE_BLOCKS, head.number, [ORACLE_PERCENTILE]);
  const { gasUsedRatio, reward = [] }: FeeHistory = JSON.parse(text);
  const paid = reward.filter((_, i) => (gasUsedRatio[i] ?? 0) > 0).map(([tip]) => parseQuantity(tip ?? "0x0"));
  const usual = median(paid) ?? head.nextBaseFeePerGasWei / 8n;
  const floored = usual > chain.minGasPriceWei ? usual : chain.minGasPriceWei;
  const tip = floored > 0n ? floored : 1n;
  return tip < MAX_TIP_WEI ? tip : MAX_TIP_WEI;
}

function checkPercentiles(percentiles: readonly number[]): void {
  if (percentiles.length > MAX_PERCENTILES) {
    throw rpcError("invalid-percentile", { fault: `over the query limit ${MAX_PERCENTILES}` });
  }
  for (const [i, percentile] of percentiles.entries()) {
    if (percentile < 0 || percentile > 100) throw rpcError("invalid-percentile", { fault: percentile.toFixed(6) });
    const before = percentiles[i - 1];
    if (before !== undefined && percentile <= before) {
      const fault = `#${i - 1}:${before.toFixed(6)} >= #${i}:${percentile.toFixed(6)}`;
      throw rpcError("invalid-percentile", { fault });
    }
  }
}

/** Answers the suggested tip at the head, worked out once per block. */
export function createTipOracle(chain: Chain): () => Promise<bigint> {
  let cached: { readonly hash: Hash; readonly tip: Promise<bigint> } | undefined;
  return () => {
    const { hash } = chain.head();
    if (cached?.hash !== hash) cached = { hash, tip: suggestTip(chain) };
    return cached.tip;
  };
}

/** The fee handlers. */
export function feeHandlers(
  chain: Chain,
  settings: Pick<RpcSettings, "feeHistoryCap">,
  tipAtHead: () => Promise<bigint>,
) {
  const historyCap = BigInt(settings.feeHistoryCap);
  return {
    eth_gasPrice: async () => {
      const { baseFeePerGasWei, nextBaseFeePerGasWei } = chain.head();
      // Estimates run in the head's block, sending in the next: the price must do for both.
      const isFalling = baseFeePerGasWei > nextBaseFeePerGasWei;
      return quantityJson((await tipAtHead()) + (isFalling ? baseFeePerGasWei : nextBaseFeePerGasWei));
    },
    eth_maxPriorityFeePerGas: async () => quantityJson(await tipAtHead()),
    eth_feeHistory: async ([count, newest, percentiles]) => {
      if (count === 0n) return chain.reads.feeHistoryJson(0, 0n, []);
      checkPercentiles(percentiles);
      const head = chain.head().number;
      const number = typeof newest === "bigint" ? newest : newest === "earliest" ? 0n : head;
      if (number > head) throw rpcError("request-beyond-head", { requested: number, head });
      const blocks = count > historyCap ? historyCap : count;
      const last = newest === "pending" ? await chain.pending() : number;
      return chain.reads.feeHistoryJson(Number(blocks), last, percentiles);
    },
  } satisfies Partial<Handlers<typeof ethState>>;
}
