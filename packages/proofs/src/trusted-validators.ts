/** Trust roots from files: the hash of the validator set that a genesis or a `/validators` answer lists. */
import { createValidator, orderValidators, publicKeyFromJson, validatorsHash } from "@cairn/comet";
import { bytesToHex, type Hash } from "@cairn/primitives";
import { WireError } from "./wire.ts";

const MAX_VALIDATORS = 10_000;

interface ListedValidator {
  readonly pub_key?: unknown;
  /** In a genesis. */
  readonly power?: unknown;
  /** In the consensus RPC's answers. */
  readonly voting_power?: unknown;
}

/**
 * Hash of the validator set in a parsed CometBFT genesis (`validators`), in an answer of the consensus RPC's `validators`
 * (also inside `result`), or in a bare list. Throws `WireError`, or CometError for a key that is none.
 */
export function validatorSetHash(document: unknown): Hash {
  const list = findList(document);
  if (list === undefined || list.length === 0 || list.length > MAX_VALIDATORS) {
    throw new WireError("validators: expected a genesis or a validators answer with 1 to 10,000 validators");
  }
  const validators = list.map((entry, index) => {
    const item = readEntry(entry, index);
    return createValidator(publicKeyFromJson(item.pub_key, `validators[${index}].pub_key`), power(item, index));
  });
  return bytesToHex(validatorsHash(orderValidators(validators)));
}

function findList(document: unknown): readonly unknown[] | undefined {
  if (Array.isArray(document)) return document;
  const { validators, result } = members(document);
  const list = validators ?? members(result).validators;
  return Array.isArray(list) ? list : undefined;
}

function members(value: unknown): { readonly validators?: unknown; readonly result?: unknown } {
  return typeof value === "object" && value !== null ? value : {};
}

function readEntry(entry: unknown, index: number): ListedValidator {
  if (typeof entry === "object" && entry !== null) return entry;
  throw new WireError(`validators[${index}]: expected an object`);
}

function power(item: ListedValidator, index: number): bigint {
  const text = item.power ?? item.voting_power;
  if (typeof text !== "string" || !/^[1-9]\d{0,18}$/.test(text)) {
    throw new WireError(`validators[${index}].power: expected a positive decimal as text`);
  }
  return BigInt(text);
}
