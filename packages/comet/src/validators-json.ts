/** CometBFT's JSON of validator sets, both ways. */
import { bytesToBase64, bytesToUpperHex } from "./bytes.ts";
import { CometError } from "./error.ts";
import { readObject } from "./json-read.ts";
import type { PublicKey, Validator } from "./types.ts";

const KEY_NAMES = { ed25519: "tendermint/PubKeyEd25519", secp256k1: "tendermint/PubKeySecp256k1" } as const;
const KEY_LENGTHS = { ed25519: 32, secp256k1: 33 } as const;

/** JSON of a public key: registered name and base64. */
export interface PublicKeyJson {
  readonly type: string;
  readonly value: string;
}

/** JSON of one validator. */
export interface ValidatorJson {
  readonly address: string;
  readonly pub_key: PublicKeyJson;
  readonly voting_power: string;
  readonly proposer_priority: string;
}

/** Spells a public key. */
export function publicKeyToJson(key: PublicKey): PublicKeyJson {
  return { type: KEY_NAMES[key.type], value: bytesToBase64(key.bytes) };
}

/** Reads a public key. Throws CometError `invalid-json`. */
export function publicKeyFromJson(value: unknown, path = "pub_key"): PublicKey {
  const json = readObject(value, path, ["type", "value"]);
  const name = json.text("type");
  const type = name === KEY_NAMES.ed25519 ? "ed25519" : name === KEY_NAMES.secp256k1 ? "secp256k1" : undefined;
  if (type === undefined) throw new CometError("invalid-json", `${path}.type: unknown key type`);
  return { type, bytes: json.base64("value", [KEY_LENGTHS[type]]) };
}

/** Spells a validator set in its order. */
export function validatorsToJson(validators: readonly Validator[]): readonly ValidatorJson[] {
  return validators.map((validator) => ({
    address: bytesToUpperHex(validator.address),
    pub_key: publicKeyToJson(validator.pubKey),
    voting_power: String(validator.power),
    proposer_priority: String(validator.proposerPriority),
  }));
}

/** Reads a validator set, strictly. Throws CometError `invalid-json`. */
export function validatorsFromJson(value: unknown, path = "validators"): readonly Validator[] {
  if (!Array.isArray(value)) throw new CometError("invalid-json", `${path}: expected a list`);
  return value.map((entry: unknown, i) => {
    const at = `${path}[${i}]`;
    const json = readObject(entry, at, ["address", "pub_key", "voting_power", "proposer_priority"]);
    return {
      address: json.hex("address", [20]),
      pubKey: publicKeyFromJson(json.raw("pub_key"), `${at}.pub_key`),
      power: json.int64("voting_power"),
      proposerPriority: json.int64("proposer_priority"),
    };
  });
}
