/** Owns what a sandbox's genesis funds; production genesis files must not hold it. */
import { type Address, PUBLIC_ACCOUNTS } from "@cairn/primitives";

/** The accounts that a sandbox funds: those everybody knows. */
export const SANDBOX_ACCOUNTS: readonly Address[] = PUBLIC_ACCOUNTS;

/** What each sandbox account starts with: 10,000 CRN in wei. */
export const SANDBOX_BALANCE_WEI: bigint = 10_000n * 10n ** 18n;
