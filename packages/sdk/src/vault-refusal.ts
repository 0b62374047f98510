/** Owns what the vault's errors mean to its user; their ABI stands in `InclusionVault.sol`. */
import { bytesToHex, keccak256 } from "@cairn/primitives";

type Words = readonly bigint[];

const time = (seconds: bigint | undefined): string => new Date(Number(seconds ?? 0n) * 1_000).toISOString();

const MEANINGS: Readonly<Record<string, (words: Words) => string>> = {
  "ZeroAmount()": () => "the amount is nothing",
  "ZeroAddress()": () => "the address is nobody's",
  "AboveBalance(uint256,uint256)": ([balance, amount]) => `the vault holds ${balance} wei, less than ${amount}`,
  "AboveOwed(uint256,uint256)": ([owed, amount]) => `only ${owed} wei are owed, less than ${amount}`,
  "NothingRequested()": () => "nothing was asked back: request a withdrawal first",
  "TooEarly(uint64)": ([availableAt]) => `what was asked back can be taken from ${time(availableAt)}`,
  "TransferFailed()": () => "the wallet does not take the coins",
};

const BY_SELECTOR = new Map(
  Object.entries(MEANINGS).map(([signature, meaning]) => [
    bytesToHex(keccak256(new TextEncoder().encode(signature)).subarray(0, 4)),
    meaning,
  ]),
);

/** Why the vault reverted, by the revert's data; undefined for what is no error of the vault. */
export function explainRevert(data: unknown): string | undefined {
  if (typeof data !== "string") return undefined;
  const meaning = BY_SELECTOR.get(data.slice(0, 10).toLowerCase() as `0x${string}`);
  const words = (data.slice(10).match(/[0-9a-f]{64}/gi) ?? []).map((word) => BigInt(`0x${word}`));
  return meaning?.(words);
}
