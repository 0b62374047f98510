/** Checking that a validator set committed a block (CometBFT's `VerifyCommitLight`, by position in the set). */
import { ed25519 } from "@noble/curves/ed25519.js";
import { blockIdEqual } from "./block-id.ts";
import { bytesEqual, bytesToUpperHex } from "./bytes.ts";
import { voteSignBytes } from "./sign-bytes.ts";
import type { BlockId, Commit, CommitSig, Validator } from "./types.ts";
import { hasOwnAddress } from "./validator.ts";

const MAX_TOTAL_POWER = (1n << 63n) / 8n;
const PRECOMMIT = 2;
const FOR_BLOCK = 2;

/**
 * Why a commit is not accepted:
 * - `invalid-validators`: no validators, a power that is not positive, too much power in all, an address that is not
 *   its key's, or one twice;
 * - `wrong-height`, `wrong-block`: the commit is for another height or block;
 * - `wrong-set-size`: not one signature entry per validator;
 * - `wrong-address`: an entry names another validator than the set has at its place;
 * - `unsupported-key`: a needed signature is by a key that is not ed25519;
 * - `bad-signature`: a needed signature is false;
 * - `not-enough-power`: two thirds of the power or less signed for the block.
 */
export type CommitFailure =
  | "invalid-validators"
  | "wrong-height"
  | "wrong-block"
  | "wrong-set-size"
  | "wrong-address"
  | "unsupported-key"
  | "bad-signature"
  | "not-enough-power";

/** `power` = power checked (just above two thirds of `total` suffices). */
export type CommitVerdict =
  | { readonly ok: true; readonly power: bigint; readonly total: bigint }
  | { readonly ok: false; readonly code: CommitFailure };

/** Checks one ed25519 signature. The default follows ZIP-215, as CometBFT does. */
export type VerifySignature = (pubKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;

/** ed25519 with ZIP-215 rules; false for anything malformed. */
export const verifyEd25519: VerifySignature = (pubKey, message, signature) => {
  try {
    return signature.length === 64 && ed25519.verify(signature, message, pubKey, { zip215: true });
  } catch {
    return false;
  }
};

/** What {@link verifyCommit} checks. `validators` in the order that `validators_hash` covers. */
export interface CommitCheck {
  readonly chainId: string;
  readonly validators: readonly Validator[];
  readonly blockId: BlockId;
  readonly height: bigint;
  readonly commit: Commit;
  readonly verify?: VerifySignature;
}

/** The set's whole power, or undefined when it cannot be a validator set. */
function totalPower(validators: readonly Validator[]): bigint | undefined {
  let total = 0n;
  const seen = new Set<string>();
  for (const validator of validators) {
    if (validator.power <= 0n || !hasOwnAddress(validator)) return undefined;
    total += validator.power;
    seen.add(bytesToUpperHex(validator.address));
  }
  return total > 0n && total <= MAX_TOTAL_POWER && seen.size === validators.length ? total : undefined;
}

function signatureFailure(check: CommitCheck, validator: Validator, entry: CommitSig): CommitFailure | undefined {
  if (!bytesEqual(validator.address, entry.validatorAddress)) return "wrong-address";
  if (validator.pubKey.type !== "ed25519") return "unsupported-key";
  const message = voteSignBytes({
    type: PRECOMMIT,
    height: check.commit.height,
    round: check.commit.round,
    blockId: check.commit.blockId,
    timestamp: entry.timestamp,
    chainId: check.chainId,
  });
  const verify = check.verify ?? verifyEd25519;
  return verify(validator.pubKey.bytes, message, entry.signature) ? undefined : "bad-signature";
}

/** Whether more than two thirds of the power signed for the block. Stops at the signature that suffices. */
export function verifyCommit(check: CommitCheck): CommitVerdict {
  const { validators, commit } = check;
  const total = totalPower(validators);
  if (total === undefined) return { ok: false, code: "invalid-validators" };
  if (commit.height !== check.height) return { ok: false, code: "wrong-height" };
  if (!blockIdEqual(commit.blockId, check.blockId)) return { ok: false, code: "wrong-block" };
  if (commit.signatures.length !== validators.length) return { ok: false, code: "wrong-set-size" };
  let power = 0n;
  for (const [index, validator] of validators.entries()) {
    const entry = commit.signatures[index];
    if (entry === undefined || entry.blockIdFlag !== FOR_BLOCK) continue;
    const failure = signatureFailure(check, validator, entry);
    if (failure !== undefined) return { ok: false, code: failure };
    power += validator.power;
    if (power * 3n > total * 2n) return { ok: true, power, total };
  }
  return { ok: false, code: "not-enough-power" };
}
