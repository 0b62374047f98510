/** Owns reading and checking a written Ethereum genesis (`app_state`), naming the field that is wrong. */
import type { Address, Hex } from "@cairn/primitives";
import type { EthGenesis, GenesisAccount } from "./eth-genesis.ts";

/** A genesis that cannot be used; `field` is the path of the offending member (`alloc.0x….balance`), "" for the whole. */
export class GenesisError extends Error {
  readonly code = "invalid-genesis";
  readonly field: string;
  constructor(field: string, problem: string) {
    super(`invalid genesis: ${field === "" ? "document" : field} ${problem}`);
    this.name = "GenesisError";
    this.field = field;
  }
}

type Members = Readonly<Record<string, unknown>>;

const GENESIS_KEYS = [
  "chainId",
  "timestamp",
  "gasLimit",
  "baseFeePerGas",
  "minBaseFee",
  "allowUnprotectedTxs",
  "alloc",
] as const;
const ACCOUNT_KEYS = ["balance", "nonce", "code", "storage"] as const;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const WORD = /^0x[0-9a-fA-F]{64}$/;
const QUANTITY = /^0x(0|[1-9a-fA-F][0-9a-fA-F]{0,63})$/;
const DATA = /^0x([0-9a-fA-F]{2})*$/;

/** Reads the JSON text of a genesis. Throws `GenesisError` naming the field. */
export function parseGenesis(text: string): EthGenesis {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new GenesisError("", "is no JSON");
  }
  return validateGenesis(document);
}

/** Checks a parsed genesis. Throws `GenesisError` naming the field. */
export function validateGenesis(document: unknown): EthGenesis {
  const genesis = members(document, "", GENESIS_KEYS);
  const alloc = members(genesis.alloc, "alloc");
  return {
    chainId: integer(genesis.chainId, "chainId", 1),
    timestamp: integer(genesis.timestamp, "timestamp", 0),
    gasLimit: integer(genesis.gasLimit, "gasLimit", 5_000),
    baseFeePerGas: matching(genesis.baseFeePerGas, "baseFeePerGas", QUANTITY, "a 0x quantity"),
    minBaseFee: matching(genesis.minBaseFee, "minBaseFee", QUANTITY, "a 0x quantity"),
    allowUnprotectedTxs: flag(genesis.allowUnprotectedTxs, "allowUnprotectedTxs"),
    alloc: validateAlloc(alloc),
  };
}

/** Whether two genesis documents mean the same chain; spelling of hex and order of members do not matter. */
export function sameGenesis(left: EthGenesis, right: EthGenesis): boolean {
  return canonical(left) === canonical(right);
}

function canonical(genesis: EthGenesis): string {
  const alloc = Object.entries(genesis.alloc).map(([address, account]) => [
    address.toLowerCase(),
    account.balance.toLowerCase(),
    account.nonce ?? 0,
    (account.code ?? "0x").toLowerCase(),
    Object.entries(account.storage ?? {})
      .map(([slot, value]) => `${slot}=${value}`.toLowerCase())
      .sort(),
  ]);
  alloc.sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1));
  const { chainId, timestamp, gasLimit, allowUnprotectedTxs } = genesis;
  const fees = [genesis.baseFeePerGas.toLowerCase(), genesis.minBaseFee.toLowerCase()];
  return JSON.stringify([chainId, timestamp, gasLimit, allowUnprotectedTxs, fees, alloc]);
}

function validateAlloc(alloc: Members): Record<Address, GenesisAccount> {
  const accounts: Record<Address, GenesisAccount> = {};
  for (const [address, value] of Object.entries(alloc)) {
    const field = `alloc.${address}`;
    if (!ADDRESS.test(address)) throw new GenesisError(field, "is no address");
    const key = address.toLowerCase() as Address;
    if (accounts[key] !== undefined) throw new GenesisError(field, "stands twice");
    accounts[key] = validateAccount(value, field);
  }
  return accounts;
}

function validateAccount(value: unknown, field: string): GenesisAccount {
  const account = members(value, field, ACCOUNT_KEYS);
  const storage = account.storage === undefined ? undefined : validateStorage(account.storage, `${field}.storage`);
  return {
    balance: matching(account.balance, `${field}.balance`, QUANTITY, "a 0x quantity"),
    ...(account.nonce === undefined ? {} : { nonce: integer(account.nonce, `${field}.nonce`, 0) }),
    ...(account.code === undefined ? {} : { code: matching(account.code, `${field}.code`, DATA, "0x data") }),
    ...(storage === undefined ? {} : { storage }),
  };
}

function validateStorage(value: unknown, field: string): Record<Hex, Hex> {
  const storage: Record<Hex, Hex> = {};
  for (const [slot, word] of Object.entries(members(value, field))) {
    const key = matching(slot, `${field}.${slot}`, WORD, "a 32-byte slot");
    storage[key] = matching(word, `${field}.${slot}`, WORD, "a 32-byte value");
  }
  return storage;
}

function members(value: unknown, field: string, known?: readonly string[]): Members {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new GenesisError(field, "must be an object");
  }
  for (const key of Object.keys(value)) {
    if (known !== undefined && !known.includes(key)) {
      throw new GenesisError(field === "" ? key : `${field}.${key}`, `is unknown; known are ${known.join(", ")}`);
    }
  }
  return { ...value };
}

function integer(value: unknown, field: string, least: number): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < least) {
    throw new GenesisError(field, `must be an integer of at least ${least}`);
  }
  return value;
}

function flag(value: unknown, field: string): boolean {
  if (typeof value !== "boolean") throw new GenesisError(field, "must be true or false");
  return value;
}

function matching(value: unknown, field: string, pattern: RegExp, what: string): Hex {
  if (typeof value !== "string" || !pattern.test(value)) throw new GenesisError(field, `must be ${what}`);
  return value as Hex;
}
