/**
 * Owns completing a transaction object to a transaction that can be signed (geth's `setDefaults`): type, nonce, gas,
 * fees. Neither signs nor sends.
 */
import { rpcError, type TransactionParam } from "@cairn/api";
import type { Chain, PooledTx } from "@cairn/chain";
import type { UnsignedTransaction } from "@cairn/keystore";
import { quantityToHex } from "@cairn/primitives";
import { stateBlock } from "./block-ref.ts";
import { type CallSettings, callRequest, message } from "./call-request.ts";
import { estimateError } from "./estimate-error.ts";

/** What completing needs beyond the chain. */
export interface FillSettings extends CallSettings {
  /** Whether absent gas is estimated; otherwise it is the specification's 90,000. */
  readonly estimateGas: boolean;
  /** Least rise of both fees of a replacement, in percent. */
  readonly priceBump: bigint;
}

/** Gas of a transaction that names none (specification: Limits). */
const DEFAULT_GAS = 90_000n;

interface DynamicFees {
  readonly maxFeePerGasWei: bigint;
  readonly maxPriorityFeePerGasWei: bigint;
}

/** Throws for fees that are complete and cannot be right. */
function checkFees(chain: Chain, { gasPrice, maxFeePerGas: cap, maxPriorityFeePerGas: tip }: TransactionParam): void {
  const isFree = chain.head().nextBaseFeePerGasWei === 0n;
  if (gasPrice === 0n && !isFree) throw rpcError("zero-gas-price", {});
  if (cap === undefined || tip === undefined) return;
  if (cap === 0n && !isFree) throw rpcError("zero-fee-cap", {});
  if (cap < tip) throw rpcError("tip-above-fee-cap", { maxFee: quantityToHex(cap), tip: quantityToHex(tip) });
}

/** Throws `RpcError` for a transaction of another chain, with fees that contradict each other, or without purpose. */
export function checkTransaction(chain: Chain, tx: TransactionParam): void {
  if (tx.ambiguousData) throw rpcError("data-and-input", {});
  message(chain, tx);
  checkFees(chain, tx);
  if (tx.to === undefined && (tx.data === undefined || tx.data.length === 0)) {
    throw rpcError("creation-without-data", {});
  }
}

/** Completes a transaction object; `suggestTip` answers a tip in wei. Throws `RpcError`. */
export async function fillTransaction(
  chain: Chain,
  settings: FillSettings & { suggestTip(): Promise<bigint> },
  tx: TransactionParam,
): Promise<UnsignedTransaction> {
  checkTransaction(chain, tx);
  const fees = tx.gasPrice === undefined ? await dynamicFees(chain, settings, tx) : undefined;
  const gasLimit = tx.gas ?? (settings.estimateGas ? await estimate(chain, settings, tx, fees) : DEFAULT_GAS);
  // Last and without waiting afterwards, so that the pool's next nonce is still the next.
  const nonce = tx.nonce ?? chain.pool.pendingNonce(tx.from);
  return unsigned(chain, { ...tx, gas: gasLimit, nonce }, fees);
}

/** With the fees it will carry, so that the sender's funds bound it. */
async function estimate(
  chain: Chain,
  settings: CallSettings,
  tx: TransactionParam,
  fees: DynamicFees | undefined,
): Promise<bigint> {
  const request = callRequest(chain, settings, tx, stateBlock(chain, "latest"));
  const outcome = await chain.reads.estimateGas({ ...request, ...fees });
  if (!outcome.ok) throw estimateError(outcome);
  return outcome.gas;
}

async function dynamicFees(
  chain: Chain,
  { suggestTip, priceBump }: FillSettings & { suggestTip(): Promise<bigint> },
  tx: TransactionParam,
): Promise<DynamicFees> {
  const { maxFeePerGas, maxPriorityFeePerGas } = tx;
  const tip = maxPriorityFeePerGas ?? (await suggestTip());
  const fees = {
    maxFeePerGasWei: maxFeePerGas ?? tip + 2n * chain.head().nextBaseFeePerGasWei,
    // A suggested tip bends to the cap that was given.
    maxPriorityFeePerGasWei: maxFeePerGas !== undefined && tip > maxFeePerGas ? maxFeePerGas : tip,
  };
  if (tx.nonce === undefined || maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined) return fees;
  const replaced = chain.pool.at(tx.from, tx.nonce);
  return replaced === undefined ? fees : raised(fees, replaced, priceBump);
}

function raised(fees: DynamicFees, replaced: PooledTx, priceBump: bigint): DynamicFees {
  const bumped = (wei: bigint): bigint => (wei * (100n + priceBump) + 99n) / 100n;
  const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
  return {
    maxFeePerGasWei: larger(fees.maxFeePerGasWei, bumped(replaced.maxFeePerGasWei)),
    maxPriorityFeePerGasWei: larger(fees.maxPriorityFeePerGasWei, bumped(replaced.maxPriorityFeePerGasWei)),
  };
}

/** The transaction of the type its fields ask for: 4 by authorizations, 2 by default, 1 or 0 by `gasPrice`. */
function unsigned(
  { chainId }: Chain,
  tx: TransactionParam & { readonly gas: bigint; readonly nonce: bigint },
  fees: DynamicFees | undefined,
): UnsignedTransaction {
  const { gas: gasLimit, nonce, to = null, value: valueWei = 0n, accessList, authorizationList } = tx;
  const base = { chainId, nonce, gasLimit, to, valueWei, data: tx.data ?? new Uint8Array(0) };
  const gasPriceWei = tx.gasPrice ?? 0n;
  const dynamic = fees ?? { maxFeePerGasWei: gasPriceWei, maxPriorityFeePerGasWei: gasPriceWei };
  if (authorizationList !== undefined) {
    if (to === null) throw rpcError("creation-with-authorizations", {});
    return { type: 4, ...base, to, ...dynamic, accessList: accessList ?? [], authorizationList };
  }
  if (fees !== undefined) return { type: 2, ...base, ...fees, accessList: accessList ?? [] };
  if (accessList !== undefined) return { type: 1, ...base, gasPriceWei, accessList };
  return { type: 0, ...base, gasPriceWei };
}
