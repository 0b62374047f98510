/**
 * The private validator on files, with CometBFT's FilePV rules: what was signed last stands durably in
 * priv_validator_state.json before a signature leaves, and nothing that conflicts with it is ever signed, so that a
 * home can move between this engine and CometBFT.
 *
 *   last (H, R, S)   asked later (H, R, S)          → sign, after writing the state
 *   last (H, R, S)   the same (H, R, S), same bytes → the same signature
 *   last (H, R, S)   the same, other time only      → the old time and signature
 *   last (H, R, S)   the same, other content        → refused (`double-sign`)
 *   last (H, R, S)   earlier (H, R, S)              → refused (`double-sign`)
 */
import { readFile } from "node:fs/promises";
import {
  base64ToBytes,
  bytesToBase64,
  bytesToUpperHex,
  consensusAddress,
  decodeVoteSignBytes,
  type PublicKey,
  publicKeyToJson,
  type Timestamp,
  upperHexToBytes,
  type VoteContent,
  voteSignBytes,
} from "@cairn/comet";
import { makeParent, writeDurably } from "./durable-file.ts";
import { generateSigningKey, importSigningKey, type SigningKey } from "./ed25519-key.ts";
import { ConsensusError } from "./errors.ts";

/** Steps in the state file: 1 proposal, 2 prevote, 3 precommit; 0 nothing yet. */
const STEP_OF = { 1: 2, 2: 3 } as const;

/** What was signed last. */
export interface SignState {
  readonly height: bigint;
  readonly round: number;
  readonly step: number;
  readonly signature: Uint8Array;
  readonly signBytes: Uint8Array;
}

/** The two files. */
export interface PrivValidatorFiles {
  readonly privValidatorKeyFile: string;
  readonly privValidatorStateFile: string;
}

/** A validator's signer. */
export interface PrivValidator {
  readonly pubKey: PublicKey;
  readonly address: Uint8Array;
  lastSigned(): SignState;
  /** Signs a vote. The answered time may be older than the asked one. Throws ConsensusError `double-sign`, `storage`. */
  signVote(vote: VoteContent): Promise<{ readonly signature: Uint8Array; readonly timestamp: Timestamp }>;
}

const NOTHING: SignState = {
  height: 0n,
  round: 0,
  step: 0,
  signature: new Uint8Array(0),
  signBytes: new Uint8Array(0),
};

function stateToText(state: SignState): string {
  const { height, round, step, signature, signBytes } = state;
  const signed = signature.length === 0 ? {} : { signature: bytesToBase64(signature) };
  const bytes = signBytes.length === 0 ? {} : { signbytes: bytesToUpperHex(signBytes) };
  return JSON.stringify({ height: String(height), round, step, ...signed, ...bytes }, null, 2);
}

function stateFromText(text: string): SignState {
  const json = JSON.parse(text);
  if (!/^\d{1,18}$/.test(json.height) || !Number.isInteger(json.round) || ![0, 1, 2, 3].includes(json.step)) {
    throw new Error("unexpected values");
  }
  return {
    height: BigInt(json.height),
    round: json.round,
    step: json.step,
    signature: base64ToBytes(json.signature ?? ""),
    signBytes: upperHexToBytes(json.signbytes ?? ""),
  };
}

function keyToText(key: SigningKey): string {
  const pubKey = publicKeyToJson({ type: "ed25519", bytes: key.pubKey });
  const address = bytesToUpperHex(consensusAddress(key.pubKey));
  return JSON.stringify({ address, pub_key: pubKey, priv_key: key.export() }, null, 2);
}

/** Answer from what was signed last, undefined to sign anew. Throws ConsensusError `double-sign`. */
function earlierAnswer(last: SignState, vote: VoteContent) {
  const step = STEP_OF[vote.type];
  const order = [Number(vote.height - last.height), vote.round - last.round, step - last.step].find((d) => d !== 0);
  if (order !== undefined && order > 0) return undefined;
  const position = `${last.height}/${last.round}/${last.step}`;
  if (order !== undefined) throw new ConsensusError("double-sign", `the validator has already signed at ${position}`);
  const before = last.signBytes.length === 0 ? undefined : decodeVoteSignBytes(last.signBytes);
  const asked = before === undefined ? undefined : voteSignBytes({ ...vote, timestamp: before.timestamp });
  if (before === undefined || asked === undefined || Buffer.compare(asked, last.signBytes) !== 0) {
    throw new ConsensusError("double-sign", `the validator has signed something else at ${position}`);
  }
  return { signature: last.signature, timestamp: before.timestamp };
}

/** Loads the private validator. Throws ConsensusError `invalid-home`. */
export async function loadPrivValidator(files: PrivValidatorFiles): Promise<PrivValidator> {
  let key: SigningKey;
  let last: SignState;
  try {
    key = importSigningKey(JSON.parse(await readFile(files.privValidatorKeyFile, "utf8")).priv_key);
    last = stateFromText(await readFile(files.privValidatorStateFile, "utf8"));
  } catch (error) {
    const message = "priv_validator_key.json or priv_validator_state.json is missing or not in CometBFT's format";
    throw new ConsensusError("invalid-home", message, { cause: error });
  }
  const save = async (state: SignState): Promise<void> => {
    try {
      await writeDurably(files.privValidatorStateFile, stateToText(state), 0o600);
    } catch (error) {
      throw new ConsensusError("storage", "priv_validator_state.json could not be written", { cause: error });
    }
    last = state;
  };
  return {
    pubKey: { type: "ed25519", bytes: key.pubKey },
    address: consensusAddress(key.pubKey),
    lastSigned: () => last,
    signVote: async (vote) => {
      const earlier = earlierAnswer(last, vote);
      if (earlier !== undefined) return earlier;
      const signBytes = voteSignBytes(vote);
      const signature = key.sign(signBytes);
      await save({ height: vote.height, round: vote.round, step: STEP_OF[vote.type], signature, signBytes });
      return { signature, timestamp: vote.timestamp };
    },
  };
}

/**
 * Writes priv_validator_key.json and priv_validator_state.json (mode 0600) with a new key, or keeps those that are
 * there. A key without its state, or a used state without its key, is refused: ConsensusError `invalid-home`.
 */
export async function createPrivValidatorKey(files: PrivValidatorFiles): Promise<PrivValidator> {
  const { privValidatorKeyFile: keyFile, privValidatorStateFile: stateFile } = files;
  const [key, state] = await Promise.all([keyFile, stateFile].map((path) => readFile(path, "utf8").catch(() => "")));
  if (key === "" && (state === "" || state === stateToText(NOTHING))) {
    await Promise.all([makeParent(keyFile), makeParent(stateFile)]);
    await writeDurably(stateFile, stateToText(NOTHING), 0o600);
    await writeDurably(keyFile, keyToText(generateSigningKey()), 0o600);
  }
  return loadPrivValidator(files);
}
