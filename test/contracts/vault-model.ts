/** What `InclusionVault` should do, written anew in TypeScript: the oracle of random sequences. */
import type { ShortfallReason } from "@cairn/contracts";

/** A slot's price for a payer, by the payer's place among the batch's payers. */
export interface ModelSlot {
  readonly payerIndex: number;
  readonly priceWei: bigint;
  readonly excluded: boolean;
}

interface Allowance {
  maxPerProof: bigint;
  maxPerDay: bigint;
  day: bigint;
  spent: bigint;
}

const DAY_SECONDS = 86_400n;

/** Balances, permissions and claims of payers and settlers, named by small numbers. */
export class VaultModel {
  readonly balances = new Map<number, bigint>();
  readonly requests = new Map<number, { readonly amount: bigint; readonly availableAt: bigint }>();
  readonly owed = new Map<string, bigint>();
  readonly claimable = new Map<number, bigint>();
  readonly #allowances = new Map<string, Allowance>();
  readonly #delay: bigint;
  constructor(delay: bigint) {
    this.#delay = delay;
  }

  balance(payer: number): bigint {
    return this.balances.get(payer) ?? 0n;
  }

  deposit(payer: number, amount: bigint): boolean {
    if (amount > 0n) this.balances.set(payer, this.balance(payer) + amount);
    return amount > 0n;
  }

  allow(payer: number, settler: number, maxPerProof: bigint, maxPerDay: bigint): void {
    const known = this.#allowances.get(`${payer} ${settler}`) ?? { day: 0n, spent: 0n };
    this.#allowances.set(`${payer} ${settler}`, { ...known, maxPerProof, maxPerDay });
  }

  request(payer: number, amount: bigint, now: bigint): boolean {
    if (amount > this.balance(payer)) return false;
    if (amount === 0n) this.requests.delete(payer);
    else this.requests.set(payer, { amount, availableAt: now + this.#delay });
    return true;
  }

  /** What is paid out; undefined: refused. */
  withdraw(payer: number, now: bigint): bigint | undefined {
    const request = this.requests.get(payer);
    if (request === undefined || now < request.availableAt) return undefined;
    const balance = this.balance(payer);
    const amount = balance - request.amount > 0n ? request.amount : balance;
    this.requests.delete(payer);
    this.balances.set(payer, balance - amount);
    return amount;
  }

  cover(payer: number, settler: number, amount: bigint): boolean {
    const debt = this.owed.get(`${payer} ${settler}`) ?? 0n;
    if (amount === 0n || amount > debt || amount > this.balance(payer)) return false;
    this.owed.set(`${payer} ${settler}`, debt - amount);
    this.#move(payer, settler, amount);
    return true;
  }

  claim(settler: number): bigint | undefined {
    const amount = this.claimable.get(settler) ?? 0n;
    this.claimable.delete(settler);
    return amount === 0n ? undefined : amount;
  }

  /** The outcome of each payer that has something to pay, in order: its amount, or why it was skipped. */
  settle(settler: number, payers: readonly number[], slots: readonly ModelSlot[], now: bigint) {
    const named = new Set<number>();
    const outcomes: { payer: number; amount: bigint; reason: ShortfallReason | undefined }[] = [];
    for (const [index, payer] of payers.entries()) {
      const prices = slots.filter((s) => s.payerIndex === index && !s.excluded).map((s) => s.priceWei);
      const amount = prices.reduce((sum, price) => sum + price, 0n);
      if (amount === 0n) continue;
      const reason = named.has(payer) ? "named-before" : this.#charge(payer, settler, prices, now);
      named.add(payer);
      outcomes.push({ payer, amount, reason });
    }
    return outcomes;
  }

  #charge(payer: number, settler: number, prices: readonly bigint[], now: bigint): ShortfallReason | undefined {
    const amount = prices.reduce((sum, price) => sum + price, 0n);
    const reason = this.#refusal(payer, settler, prices, now / DAY_SECONDS);
    const key = `${payer} ${settler}`;
    if (reason !== undefined) {
      this.owed.set(key, (this.owed.get(key) ?? 0n) + amount);
      return reason;
    }
    const allowance = this.#allowances.get(key);
    if (allowance === undefined) throw new Error("charged without permission");
    const day = now / DAY_SECONDS;
    this.#allowances.set(key, { ...allowance, day, spent: (allowance.day === day ? allowance.spent : 0n) + amount });
    this.#move(payer, settler, amount);
    return undefined;
  }

  #refusal(payer: number, settler: number, prices: readonly bigint[], day: bigint): ShortfallReason | undefined {
    const amount = prices.reduce((sum, price) => sum + price, 0n);
    const allowance = this.#allowances.get(`${payer} ${settler}`);
    if (allowance === undefined || allowance.maxPerDay === 0n) return "not-allowed";
    if (prices.some((price) => price > allowance.maxPerProof)) return "above-max-per-proof";
    const spent = allowance.day === day ? allowance.spent : 0n;
    if (spent + amount > allowance.maxPerDay) return "above-max-per-day";
    return amount > this.balance(payer) ? "insufficient-balance" : undefined;
  }

  #move(payer: number, settler: number, amount: bigint): void {
    this.balances.set(payer, this.balance(payer) - amount);
    this.claimable.set(settler, (this.claimable.get(settler) ?? 0n) + amount);
  }
}
