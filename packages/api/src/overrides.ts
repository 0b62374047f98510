/** Owns the state and block overrides of calls on the wire, as geth takes them. */
import type { Address, Hash } from "@cairn/primitives";
import { asObject, type Codec, CodecError, member } from "./codec.ts";
import { address, data, hash, quantity, quantity64 } from "./codecs.ts";

/** Storage words by their 32-byte keys. */
export type StorageParam = Readonly<Record<Hash, Hash>>;

/** What a call sees of one account instead of the state; the balance in wei. */
export interface AccountOverrideParam {
  readonly nonce?: bigint;
  readonly code?: Uint8Array;
  readonly balance?: bigint;
  /** The whole storage. */
  readonly state?: StorageParam;
  /** Single words. */
  readonly stateDiff?: StorageParam;
  readonly movePrecompileToAddress?: Address;
}

/** Overridden accounts by their lower-case addresses. */
export type StateOverridesParam = Readonly<Record<Address, AccountOverrideParam>>;

/** Header fields a call sees instead of its block's; amounts in wei, time in seconds. */
export interface BlockOverridesParam {
  readonly number?: bigint;
  readonly time?: bigint;
  readonly gasLimit?: bigint;
  readonly feeRecipient?: Address;
  readonly prevRandao?: Hash;
  readonly baseFeePerGas?: bigint;
  readonly blobBaseFee?: bigint;
  /** Simulated blocks only. */
  readonly beaconRoot?: Hash;
}

const MAX_ACCOUNTS = 10_000;
const MAX_SLOTS = 100_000;

/** The members that are there, without the absent ones. */
function presentMembers<T extends object>(fields: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== undefined)) as T;
}

/** An object as a map: every key decoded, at most `most` of them. */
export function mapOf<K extends string, V>(
  key: Codec<K>,
  value: Codec<V>,
  most: number,
): Codec<Readonly<Record<K, V>>> {
  return {
    title: `map of ${key.title} to ${value.title}`,
    schema: { type: "object", additionalProperties: value.schema },
    decode(input) {
      const entries = Object.entries(asObject(input));
      if (entries.length > most) throw new CodecError(`too many entries: at most ${most}`);
      const decoded = entries.map(([name, entry]) => [key.decode(name), value.decode(entry)]);
      return Object.fromEntries(decoded) as Record<K, V>;
    },
  };
}

const storage = mapOf(hash, hash, MAX_SLOTS);

const accountOverride: Codec<AccountOverrideParam> = {
  title: "account override",
  schema: {
    type: "object",
    properties: {
      nonce: quantity64.schema,
      code: data.schema,
      balance: quantity.schema,
      state: storage.schema,
      stateDiff: storage.schema,
      movePrecompileToAddress: address.schema,
    },
  },
  decode(value) {
    const object = asObject(value);
    return presentMembers<AccountOverrideParam>({
      nonce: member(object, "nonce", quantity64),
      code: member(object, "code", data),
      balance: member(object, "balance", quantity),
      state: member(object, "state", storage),
      stateDiff: member(object, "stateDiff", storage),
      movePrecompileToAddress: member(object, "movePrecompileToAddress", address),
    });
  },
};

/** State overrides: an object of accounts by address. */
export const stateOverrides: Codec<StateOverridesParam> = {
  ...mapOf(address, accountOverride, MAX_ACCOUNTS),
  title: "state overrides",
};

function refuseWithdrawals(object: Readonly<Record<string, unknown>>): void {
  const withdrawals = Object.hasOwn(object, "withdrawals") ? object.withdrawals : undefined;
  if (withdrawals === undefined || withdrawals === null) return;
  if (Array.isArray(withdrawals) && withdrawals.length === 0) return;
  throw new CodecError('block override "withdrawals" is not supported: this chain has none');
}

/** Block overrides; `difficulty` is taken and means nothing, as in geth after the merge. */
export const blockOverrides: Codec<BlockOverridesParam> = {
  title: "block overrides",
  schema: {
    type: "object",
    properties: {
      number: quantity.schema,
      difficulty: quantity.schema,
      time: quantity64.schema,
      gasLimit: quantity64.schema,
      feeRecipient: address.schema,
      prevRandao: hash.schema,
      baseFeePerGas: quantity.schema,
      blobBaseFee: quantity.schema,
      beaconRoot: hash.schema,
    },
  },
  decode(value) {
    const object = asObject(value);
    member(object, "difficulty", quantity);
    refuseWithdrawals(object);
    return presentMembers<BlockOverridesParam>({
      number: member(object, "number", quantity),
      time: member(object, "time", quantity64),
      gasLimit: member(object, "gasLimit", quantity64),
      feeRecipient: member(object, "feeRecipient", address) ?? member(object, "coinbase", address),
      prevRandao: member(object, "prevRandao", hash) ?? member(object, "random", hash),
      baseFeePerGas: member(object, "baseFeePerGas", quantity64) ?? member(object, "baseFee", quantity64),
      blobBaseFee: member(object, "blobBaseFee", quantity),
      beaconRoot: member(object, "beaconRoot", hash),
    });
  },
};
