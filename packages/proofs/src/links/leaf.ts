/** The link of a receipt from statement and proof to the leaf. */
import { bytesToHex, equalBytes, hexToBytes } from "@cairn/primitives";
import { leafHash, leafPreimage } from "../leaf.ts";
import { recordV1 } from "../record.ts";
import type { LeafRecord, ReceiptStatement } from "../types.ts";
import { broken, holds, type Link } from "./link.ts";

const ZERO_HASH = `0x${"00".repeat(32)}`;

/** Statement → record → preimage (with the proof hash) → leaf. */
export const leafLink: Link = {
  name: "leaf",
  check({ statement, leaf }) {
    const form = statementFault(statement);
    if (form !== undefined) return broken(form);
    const record = recordV1(recordOf(statement));
    if (!equalBytes(record, hexToBytes(leaf.record))) return broken("the record does not say what the statement says");
    const preimage = leafPreimage(hexToBytes(leaf.proof_hash), record);
    if (bytesToHex(preimage) !== leaf.preimage) return broken("the preimage is not proof hash and record hash");
    if (bytesToHex(leafHash(preimage)) !== leaf.hash) return broken("the leaf is not the hash of its preimage");
    return holds("proof hash and record make the leaf", "SHA-256");
  },
};

/** The record a statement spells. */
export function recordOf(statement: ReceiptStatement): LeafRecord {
  return {
    kind: statement.kind,
    system: statement.system,
    curve: statement.curve,
    encoding: statement.encoding,
    version: statement.version,
    vkHash: hexToBytes(statement.vk_hash),
    publicInputsHash: hexToBytes(statement.public_inputs_hash),
    chainId: statement.chain_id,
    blockNumber: statement.block_number === null ? null : BigInt(statement.block_number),
    salt: hexToBytes(statement.salt),
  };
}

/** The statement that spells a record. */
export function statementOf(record: LeafRecord): ReceiptStatement {
  return {
    kind: record.kind,
    system: record.system,
    curve: record.curve,
    encoding: record.encoding,
    version: record.version,
    vk_hash: bytesToHex(record.vkHash),
    public_inputs_hash: bytesToHex(record.publicInputsHash),
    chain_id: record.chainId,
    block_number: record.blockNumber === null ? null : record.blockNumber.toString(),
    salt: bytesToHex(record.salt),
  };
}

function statementFault(statement: ReceiptStatement): string | undefined {
  if (statement.chain_id !== statement.chain_id.toLowerCase()) return "the chain id is not in canonical form";
  const isCommitment = statement.kind === "commitment";
  if (isCommitment !== (statement.system === "commitment")) return "kind and system contradict each other";
  const hashes = [statement.vk_hash, statement.public_inputs_hash];
  return isCommitment && hashes.some((hash) => hash !== ZERO_HASH)
    ? "a commitment has no key and no inputs"
    : undefined;
}
