/** Links of a receipt from the block to its validators' signatures. */
import {
  type Commit,
  commitFromJson,
  headerHash as consensusHash,
  headerFromJson,
  type Validator,
  validatorsFromJson,
  validatorsHash,
  verifyCommit,
} from "@cairn/comet";
import { bytesToHex, decodeHeader, equalBytes, headerHash, hexToBytes } from "@cairn/primitives";
import type { JsonObject, ReceiptConsensus } from "../types.ts";
import type { Trust } from "../verification.ts";
import { broken, holds, type Link, type LinkOutcome, unproven } from "./link.ts";

const FOR_BLOCK = 2;
const ABSENT = 1;

/** Header bytes → block hash = `app_hash` of the consensus header. */
export const blockHeaderLink: Link = {
  name: "block-header",
  check({ settlement }) {
    const rlp = hexToBytes(settlement.header_rlp);
    const { number } = decodeHeader(rlp);
    const { appHash } = headerFromJson(settlement.consensus.header);
    if (headerHash(rlp) !== bytesToHex(appHash)) return broken("the block hash is not the consensus header's app_hash");
    return holds(`block ${number} is ${headerHash(rlp)}, the app_hash that consensus agreed on`, "Keccak-256");
  },
};

/** The consensus header is the next height's, points back at the same block, and is what the commit is for. */
export const consensusHeaderLink: Link = {
  name: "consensus-header",
  check({ settlement }) {
    const block = decodeHeader(hexToBytes(settlement.header_rlp));
    const header = headerFromJson(settlement.consensus.header);
    const commit = commitFromJson(settlement.consensus.commit);
    if (header.height !== block.number + 1n) return broken("the consensus header is not the next height's");
    if (bytesToHex(header.lastBlockId.hash) !== block.extraData) {
      return broken("the consensus header does not follow the block that extraData names");
    }
    if (!equalBytes(consensusHash(header), commit.blockId.hash)) return broken("the commit is for another header");
    return holds(
      `header of height ${header.height} of ${header.chainId} commits to the block`,
      "SHA-256, CometBFT's tree",
    );
  },
};

/** More than two thirds of the validators signed, and they are trusted. */
export const commitSignaturesLink: Link = {
  name: "commit-signatures",
  check({ settlement }, trust) {
    const header = headerFromJson(settlement.consensus.header);
    const commit = commitFromJson(settlement.consensus.commit);
    const validators = readValidators(settlement.consensus);
    if (!equalBytes(validatorsHash(validators), header.validatorsHash))
      return broken("these are not the header's validators");
    const { chainId, height } = header;
    const verdict = verifyCommit({ chainId, validators, blockId: commit.blockId, height, commit });
    if (!verdict.ok) return broken(`the commit is not valid: ${verdict.code}`);
    const excess = excessFault(commit, validators, verdict.total);
    if (excess !== undefined) return broken(excess);
    const signed = `${verdict.power} of ${verdict.total} voting power signed height ${height}`;
    const blocks = [headerHash(hexToBytes(settlement.header_rlp)), bytesToHex(commit.blockId.hash)];
    return judgeTrust({ signed, set: bytesToHex(header.validatorsHash), blocks, trust });
  },
};

// Each signature must count: nothing may stand behind the one that makes two thirds, and no vote for nil.
function excessFault(commit: Commit, validators: readonly Validator[], total: bigint): string | undefined {
  let power = 0n;
  for (const [index, entry] of commit.signatures.entries()) {
    if (entry.blockIdFlag === ABSENT) continue;
    if (entry.blockIdFlag !== FOR_BLOCK) return "the commit holds a vote for no block";
    if (power * 3n > total * 2n) return "the commit holds more signatures than needed";
    power += validators[index]?.power ?? 0n;
  }
  return undefined;
}

function judgeTrust(o: { signed: string; set: string; blocks: readonly string[]; trust: Trust }): LinkOutcome {
  const { validatorsHashes = [], blockHashes = [] } = o.trust;
  const restsOn = `ed25519 and validator set ${o.set}`;
  if (validatorsHashes.map(plainHex).includes(plainHex(o.set))) return holds(o.signed, `${restsOn}, which you trust`);
  const blocks = o.blocks.map(plainHex);
  if (blockHashes.map(plainHex).some((hash) => blocks.includes(hash)))
    return holds(o.signed, "a block hash which you trust");
  if (validatorsHashes.length > 0) return broken(`validator set ${o.set} is not one you trust`);
  return unproven(o.signed, restsOn, `trust in validator set ${o.set} (a validator set or block hash from elsewhere)`);
}

function plainHex(hash: string): string {
  return hash.toLowerCase().replace(/^0x/, "");
}

/** Validators of a receipt: CometBFT's JSON without `proposer_priority`, which no hash covers. */
export function readValidators(consensus: Pick<ReceiptConsensus, "validators">): readonly Validator[] {
  return validatorsFromJson(consensus.validators.map(withPriority));
}

function withPriority(validator: JsonObject): JsonObject {
  if (Object.hasOwn(validator, "proposer_priority")) throw new TypeError("proposer_priority is not part of a receipt");
  return { ...validator, proposer_priority: "0" };
}
