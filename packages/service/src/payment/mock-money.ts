/** The sandbox's money: payers made from account names, a generous start, a faucet, faults that can be switched on. */
import { createHash } from "node:crypto";
import type { LedgerStore } from "@cairn/aggregator";
import type { FaultState } from "@cairn/api";
import { type Address, bytesToHex } from "@cairn/primitives";

/** Mock money and its faults. */
export interface MockMoney {
  payerOf(account: string): Address;
  /** Gives an account its first money, once. */
  ensure(account: string): Promise<void>;
  /** Adds money, at once or after the delay that is switched on. */
  pour(account: string, amountWei: bigint): Promise<void>;
  faults(): FaultState;
  setFaults(change: Partial<FaultState>): void;
  /** Takes one short batch, where any is switched on. */
  takeShort(): boolean;
  close(): void;
}

const CRN = 10n ** 18n;
/** What an account starts with. */
export const FIRST_MONEY_WEI = 1_000_000n * CRN;
/** What the faucet gives by itself. */
export const FAUCET_WEI = 1_000n * CRN;

/** Makes the money of one sandbox. */
export function createMockMoney(o: {
  readonly ledger: () => LedgerStore;
  readonly clock: () => number;
  readonly onFailure: (error: unknown) => void;
}): MockMoney {
  const ensured = new Map<string, Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();
  let faults: FaultState = { charges_short: 0, deposit_delay_ms: 0, refuse_payment: false };
  const deposit = (account: string, amountWei: bigint, source?: string): Promise<void> => {
    const entry = { payer: mockPayer(account), amountWei, ...(source === undefined ? {} : { source }) };
    return o.ledger().mockDeposit(entry, o.clock());
  };
  return {
    payerOf: mockPayer,
    ensure: (account) => {
      const known = ensured.get(account) ?? deposit(account, FIRST_MONEY_WEI, `first:${mockPayer(account)}`);
      ensured.set(account, known);
      // A failing disk is asked again at the next call.
      known.catch(() => ensured.delete(account));
      return known;
    },
    pour: async (account, amountWei) => {
      if (faults.deposit_delay_ms === 0) return deposit(account, amountWei);
      const timer = setTimeout(() => {
        timers.delete(timer);
        deposit(account, amountWei).catch(o.onFailure);
      }, faults.deposit_delay_ms);
      timers.add(timer);
    },
    faults: () => faults,
    setFaults: (change) => {
      faults = { ...faults, ...change };
    },
    takeShort: () => {
      const isShort = faults.charges_short > 0;
      if (isShort) faults = { ...faults, charges_short: faults.charges_short - 1 };
      return isShort;
    },
    close: () => {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** The address that stands for an account's mock wallet; nobody has its key. */
function mockPayer(account: string): Address {
  return bytesToHex(createHash("sha256").update("cairn/mock-payer/1\0").update(account).digest().subarray(0, 20));
}
