/** Calls and genesis storage of `InclusionVault`. Owns their bytes; not who pays whom. */
import { addressWord, join, uintWord } from "./abi-word.ts";
import { fromHex, type Hex, toHex } from "./hex.ts";

/** Selectors of the calls: `deposit()`, `depositFor(address)` and so on. */
const SELECTORS = {
  deposit: "0xd0e30db0",
  depositFor: "0xaa67c919",
  allow: "0x91ddeb51",
  requestWithdrawal: "0x6ca4410d",
  withdraw: "0x3ccfd60b",
  cover: "0x0957d629",
  claim: "0x4e71d92d",
} as const;

/** Seconds between the request of a withdrawal and its payment where genesis names none. */
export const DEFAULT_WITHDRAWAL_DELAY_SECONDS = 3_600n;

const DELAY_SLOT = 0n;

/** A call of the vault's public functions, with what it carries. Amounts in wei. */
export type VaultCall =
  | { readonly name: "deposit" }
  | { readonly name: "depositFor"; readonly payer: Hex }
  | { readonly name: "allow"; readonly settler: Hex; readonly maxPerProofWei: bigint; readonly maxPerDayWei: bigint }
  /** In place of an earlier request; 0 takes it back. */
  | { readonly name: "requestWithdrawal"; readonly amountWei: bigint }
  | { readonly name: "withdraw" }
  | { readonly name: "cover"; readonly settler: Hex; readonly amountWei: bigint }
  | { readonly name: "claim" };

/** Call data. A deposit's amount is the transaction's value. Throws RangeError for what does not fit. */
export function encodeVaultCall(call: VaultCall): Uint8Array {
  return join([fromHex(SELECTORS[call.name]), ...argumentsOf(call)]);
}

function argumentsOf(call: VaultCall): readonly Uint8Array[] {
  switch (call.name) {
    case "depositFor":
      return [addressWord(call.payer)];
    case "allow":
      return [addressWord(call.settler), uintWord(call.maxPerProofWei, 128), uintWord(call.maxPerDayWei, 128)];
    case "requestWithdrawal":
      return [uintWord(call.amountWei, 128)];
    case "cover":
      return [addressWord(call.settler), uintWord(call.amountWei)];
    default:
      return [];
  }
}

/** Storage of a vault with this delay. Throws RangeError for 2^32 seconds or more. */
export function vaultStorage(withdrawalDelaySeconds: bigint): Record<Hex, Hex> {
  const delay = uintWord(withdrawalDelaySeconds, 32);
  return withdrawalDelaySeconds === 0n ? {} : { [toHex(uintWord(DELAY_SLOT))]: toHex(delay) };
}
