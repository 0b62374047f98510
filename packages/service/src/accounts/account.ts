/** What an account is: whose submissions, wallet, chains and agreement belong together. */
import type { Address, Hash } from "@cairn/primitives";

/** What a bare artifact of a chain is taken for. */
export interface ChainProfile {
  readonly system: string;
  readonly curve?: string;
  readonly encoding: string;
  readonly version?: string;
  readonly vkHash?: Hash;
}

/** A chain that an account may submit for. */
export interface AccountChain {
  /** Canonical chain id: what ids and records contain. */
  readonly chainKey: string;
  /** Other names that the account may use for it, canonical. */
  readonly aliases: readonly string[];
  readonly profile?: ChainProfile;
}

/** What operator and integrator agreed on. */
export interface Agreement {
  /** Submissions of a UTC day; 0: not limited. */
  readonly perDay: number;
  /** Name of the price plan. */
  readonly plan: string;
  /** Days of a settlement period. */
  readonly settlementDays: number;
}

/** Submissions per minute on average and at once. 0 a minute: not limited. */
export interface RateLimits {
  readonly perMinute: number;
  readonly burst: number;
}

/** An account. */
export interface Account {
  readonly name: string;
  /** The wallet that pays, once bound. */
  readonly wallet: Address | undefined;
  readonly agreement: Agreement | undefined;
  readonly chains: readonly AccountChain[];
  /** Its own limits; undefined: the service's. */
  readonly limits: RateLimits | undefined;
  readonly suspended: boolean;
  readonly createdAtMs: number;
}
