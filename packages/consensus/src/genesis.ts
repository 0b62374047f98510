/** genesis.json in CometBFT's format: reading, checking, writing. The application's part stays opaque JSON. */
import { readFile } from "node:fs/promises";
import {
  bytesToUpperHex,
  createValidator,
  type PublicKeyJson,
  parseRfc3339,
  publicKeyFromJson,
  type Timestamp,
  upperHexToBytes,
  type Validator,
} from "@cairn/comet";
import { makeParent, writeDurably } from "./durable-file.ts";
import { ConsensusError } from "./errors.ts";
import { type FullParams, type ParamsJson, paramsFromJson, paramsToJson } from "./params.ts";

/** The file's members. Absent parameters take CometBFT's defaults. */
export interface CometGenesis {
  /** RFC 3339 in UTC; the first block's time. */
  readonly genesis_time: string;
  /** 1 to 50 characters. */
  readonly chain_id: string;
  /** Decimal; "0" means "1". */
  readonly initial_height?: string;
  readonly consensus_params?: Partial<ParamsJson>;
  readonly validators?: readonly GenesisValidator[];
  /** Upper-case hex. */
  readonly app_hash?: string;
  /** Passed to the application as JSON text. */
  readonly app_state?: unknown;
}

/** One validator of the file. */
export interface GenesisValidator {
  readonly address?: string;
  readonly pub_key: PublicKeyJson;
  readonly power: string;
  readonly name: string;
}

/** A checked genesis. */
export interface Genesis {
  readonly chainId: string;
  readonly time: Timestamp;
  readonly initialHeight: bigint;
  readonly params: FullParams;
  readonly validators: readonly Validator[];
  readonly appHash: Uint8Array;
  /** JSON text bytes of `app_state`; empty when absent. */
  readonly appState: Uint8Array;
  /** The document as the RPC's `genesis` answers it, members completed and in order. */
  readonly document: Required<Omit<CometGenesis, "app_state">> & Pick<CometGenesis, "app_state">;
}

const POWER = /^[1-9]\d{0,18}$/;

function validatorOf(entry: GenesisValidator): Validator {
  if (!POWER.test(entry.power)) throw new Error("a validator's power must be a positive decimal string");
  const validator = createValidator(publicKeyFromJson(entry.pub_key), BigInt(entry.power));
  const address = bytesToUpperHex(validator.address);
  if ((entry.address ?? "") !== "" && entry.address !== address)
    throw new Error("a validator's address is not its key's");
  return validator;
}

function opened(json: CometGenesis): Genesis {
  const chainId = json.chain_id;
  if (typeof chainId !== "string" || chainId.length < 1 || chainId.length > 50) {
    throw new Error("chain_id must have 1 to 50 characters");
  }
  const initial = json.initial_height ?? "1";
  if (!/^\d{1,18}$/.test(initial)) throw new Error("initial_height must be a decimal string");
  const params = paramsFromJson(json.consensus_params);
  const validators = (json.validators ?? []).map(validatorOf);
  const initialHeight = BigInt(initial) === 0n ? 1n : BigInt(initial);
  return {
    chainId,
    time: parseRfc3339(json.genesis_time),
    initialHeight,
    params,
    validators,
    appHash: upperHexToBytes(json.app_hash ?? ""),
    appState: new TextEncoder().encode(json.app_state === undefined ? "" : JSON.stringify(json.app_state)),
    document: {
      genesis_time: json.genesis_time,
      chain_id: chainId,
      initial_height: String(initialHeight),
      consensus_params: paramsToJson(params),
      validators: (json.validators ?? []).map((entry, i) => ({
        address: bytesToUpperHex(validators[i]?.address ?? new Uint8Array(0)),
        pub_key: entry.pub_key,
        power: entry.power,
        name: entry.name ?? "",
      })),
      app_hash: json.app_hash ?? "",
      ...(json.app_state === undefined ? {} : { app_state: json.app_state }),
    },
  };
}

/** Checks a genesis document. Throws ConsensusError `invalid-home`. */
export function parseGenesis(json: CometGenesis): Genesis {
  try {
    return opened(json);
  } catch (error) {
    const detail = error instanceof Error ? error.message : "unreadable";
    throw new ConsensusError("invalid-home", `genesis: ${detail}`, { cause: error });
  }
}

/** Reads and checks genesis.json. Throws ConsensusError `invalid-home`. */
export async function loadGenesis(file: string): Promise<Genesis> {
  let json: CometGenesis;
  try {
    json = JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw new ConsensusError("invalid-home", "genesis.json is missing or not JSON", { cause: error });
  }
  return parseGenesis(json);
}

/** Writes genesis.json (indented, mode 0644) after checking it. Throws ConsensusError `invalid-home`. */
export async function writeGenesis(o: { readonly file: string; readonly genesis: CometGenesis }): Promise<Genesis> {
  const genesis = parseGenesis(o.genesis);
  await makeParent(o.file);
  await writeDurably(o.file, JSON.stringify(genesis.document, null, 2), 0o644);
  return genesis;
}
