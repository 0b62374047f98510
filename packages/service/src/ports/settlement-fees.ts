/** What a settlement offers for its gas. Pure. */

const TIP_WEI = 1_000_000_000n;
/** Base fees may rise eightfold in 18 full blocks; a settlement must stay includable meanwhile. */
const FEE_HEADROOM = 10n;
/** Nodes refuse what offers more in all: the default of `--json-rpc.txfee-cap`, and of geth's `--rpc.txfeecap`. */
const MOST_WEI = 10n ** 18n;

/** Fees per gas in wei. A settlement never offers more than a node takes: dearer blocks it sits out in the pool. */
export function settlementFees(baseFeeWei: bigint, gasLimit: bigint) {
  const wanted = baseFeeWei * FEE_HEADROOM + TIP_WEI;
  const most = MOST_WEI / gasLimit;
  const maxFeePerGasWei = wanted < most ? wanted : most;
  return { maxFeePerGasWei, maxPriorityFeePerGasWei: TIP_WEI < maxFeePerGasWei ? TIP_WEI : maxFeePerGasWei };
}
