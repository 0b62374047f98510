/**
 * Owns handing raw transactions to the pool for clients: the fee cap, replay protection, and the pool's answers as
 * errors.
 */
import { rpcError } from "@cairn/api";
import type { Chain } from "@cairn/chain";
import { decodeTransaction, type Hash, RlpError } from "@cairn/primitives";
import type { RpcSettings } from "./options.ts";
import { submissionError } from "./submission-error.ts";

const WEI_PER_COIN = 10n ** 18n;
/** From here on the first byte begins the list of a transaction without type (EIP-2718). */
const LEGACY = 0xc0;

function coins(wei: bigint): string {
  const hundredths = (wei * 100n + WEI_PER_COIN / 2n) / WEI_PER_COIN;
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, "0")}`;
}

/** Refuses a raw transaction whose fees can exceed the cap. Throws `RpcError`. */
export function checkFeeCap(raw: Uint8Array, capWei: bigint): void {
  try {
    const tx = decodeTransaction(raw);
    const feeWei = tx.gasLimit * ("gasPriceWei" in tx ? tx.gasPriceWei : tx.maxFeePerGasWei);
    if (feeWei > capWei) throw rpcError("fee-cap", { fee: coins(feeWei), cap: coins(capWei) });
  } catch (error) {
    // What does not decode is the admission's to refuse, with its reason.
    if (!(error instanceof RlpError)) throw error;
  }
}

/** Signed for no chain in particular: it could be sent on every one (before EIP-155). */
function isUnprotected(raw: Uint8Array): boolean {
  try {
    const tx = decodeTransaction(raw);
    return tx.type === 0 && tx.chainId === undefined;
  } catch (error) {
    if (error instanceof RlpError) return false;
    throw error;
  }
}

/** Submits one raw transaction; its hash once the pool took it. Throws `RpcError`. */
export async function sendRaw(chain: Chain, settings: RpcSettings, raw: Uint8Array): Promise<Hash> {
  if (settings.txFeeCapWei > 0n) checkFeeCap(raw, settings.txFeeCapWei);
  if (!settings.allowUnprotectedTxs && isUnprotected(raw)) throw rpcError("unprotected", {});
  if (raw.length <= 1 && (raw[0] ?? 0) < LEGACY) throw rpcError("transaction-too-short", {});
  const outcome = await chain.submit(raw);
  if (outcome.ok) return outcome.hash;
  throw submissionError(outcome);
}
