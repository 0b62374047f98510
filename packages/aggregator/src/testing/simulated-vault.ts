/** A vault for tests of the ledger: balances, permissions and charges, with the logs that the real one would write. */
import type { Address } from "@cairn/primitives";
import type { PayerCharge, PlacedVaultEvent, VaultLog } from "../payment/ledger-store.ts";
import { hashOf } from "./samples.ts";

interface Held {
  balance: bigint;
  requested: bigint;
  maxPerProof: bigint;
  maxPerDay: bigint;
  spent: bigint;
  owed: bigint;
}

/** The vault; every change is a block of its own. All happens on one day. */
export interface SimulatedVault {
  readonly logs: readonly PlacedVaultEvent[];
  head(): number;
  held(payer: Address): Readonly<Held>;
  deposit(payer: Address, amount: bigint): void;
  allow(payer: Address, maxPerProof: bigint, maxPerDay: bigint): void;
  request(payer: Address, amount: bigint): void;
  withdraw(payer: Address): void;
  cover(payer: Address, amount: bigint): void;
  /** Another settler charges. */
  elsewhere(payer: Address, amount: bigint): void;
  /** Charges the payers of batch `number` by their totals and highest prices. */
  charge(number: number, payers: ReadonlyMap<Address, readonly bigint[]>): readonly PayerCharge[];
}

/** An empty vault on a day. */
export function createSimulatedVault(day: number): SimulatedVault {
  const accounts = new Map<Address, Held>();
  const logs: PlacedVaultEvent[] = [];
  let head = 0;
  const held = (payer: Address): Held => {
    const known = accounts.get(payer) ?? { ...NOTHING };
    accounts.set(payer, known);
    return known;
  };
  const write = (event: VaultLog): void => {
    head += 1;
    logs.push({ block: head, logIndex: 0, transactionHash: hashOf(`vault ${head}`), event });
  };
  const least = (a: bigint, b: bigint): bigint => (a > b ? b : a);
  return {
    logs,
    head: () => head,
    held,
    deposit: (payer, amountWei) => {
      held(payer).balance += amountWei;
      write({ name: "deposited", payer, amountWei });
    },
    allow: (payer, maxPerProofWei, maxPerDayWei) => {
      Object.assign(held(payer), { maxPerProof: maxPerProofWei, maxPerDay: maxPerDayWei });
      write({ name: "allowed", payer, maxPerProofWei, maxPerDayWei });
    },
    request: (payer, amount) => {
      const amountWei = least(amount, held(payer).balance);
      held(payer).requested = amountWei;
      write({ name: "requested", payer, amountWei });
    },
    withdraw: (payer) => {
      const account = held(payer);
      if (account.requested === 0n) return;
      const amountWei = least(account.requested, account.balance);
      account.balance -= amountWei;
      account.requested = 0n;
      write({ name: "withdrawn", payer, amountWei });
    },
    cover: (payer, amount) => {
      const account = held(payer);
      const amountWei = least(amount, least(account.owed, account.balance));
      if (amountWei === 0n) return;
      account.balance -= amountWei;
      account.owed -= amountWei;
      write({ name: "covered", payer, isOwn: true, amountWei });
    },
    elsewhere: (payer, amount) => {
      const amountWei = least(amount, held(payer).balance);
      held(payer).balance -= amountWei;
      write({ name: "charged", payer, isOwn: false, number: 1, amountWei, day, spentWei: amountWei });
    },
    charge: (number, payers) => {
      const charges: PayerCharge[] = [];
      for (const [payer, prices] of payers) {
        const account = held(payer);
        const amountWei = prices.reduce((sum, price) => sum + price, 0n);
        if (amountWei === 0n) continue;
        const isAllowed =
          account.spent + amountWei <= account.maxPerDay && prices.every((p) => p <= account.maxPerProof);
        const isPaid = isAllowed && amountWei <= account.balance;
        if (isPaid) account.balance -= amountWei;
        if (isPaid) account.spent += amountWei;
        else account.owed += amountWei;
        const charged = isPaid ? { day, spentWei: account.spent } : undefined;
        charges.push({ payer, amountWei, charged });
        if (charged === undefined) write({ name: "shortfall", payer, number, amountWei });
        else write({ name: "charged", payer, isOwn: true, number, amountWei, ...charged });
      }
      return charges;
    },
  };
}

const NOTHING: Held = { balance: 0n, requested: 0n, maxPerProof: 0n, maxPerDay: 0n, spent: 0n, owed: 0n };
