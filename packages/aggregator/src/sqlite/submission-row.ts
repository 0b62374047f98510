/** A row of `submissions` as a `Submission`. */
import { PAYMENT_STATES } from "../payment/payment-life.ts";
import type { ProofFacts, Submission, SubmissionPayment } from "../store.ts";
import { SUBMISSION_STATES } from "../submission-life.ts";
import { hex, integer, oneOf, optional, text } from "./columns.ts";
import type { Row } from "./database.ts";

/** Columns of a submission with the id of its original, for `FROM submissions s`. */
export const SUBMISSION_COLUMNS = `s.*, (SELECT o.id FROM submissions o WHERE o.seq = s.duplicate_of) AS original_id,
  (SELECT y.mode || ' ' || y.state || ' ' || y.price FROM payments y WHERE y.submission = s.seq) AS payment`;

/** Reads a row selected by `SUBMISSION_COLUMNS`. */
export function readSubmission(row: Row): Submission {
  const errorCode = optional(row, "error_code", text);
  const duplicateOf = optional(row, "duplicate_of", integer);
  const batchNumber = optional(row, "batch_number", integer);
  return {
    seq: integer(row, "seq"),
    id: hex(row, "id"),
    account: text(row, "account"),
    chainId: text(row, "chain_id"),
    chainKey: text(row, "chain_key"),
    blockNumber: optional(row, "block_number", text),
    source: text(row, "source"),
    externalId: optional(row, "external_id", text),
    metadata: optional(row, "metadata", text),
    reorgOf: optional(row, "reorg_of", hex),
    state: oneOf(row, "state", SUBMISSION_STATES),
    version: integer(row, "version"),
    receivedAtMs: integer(row, "received_at"),
    updatedAtMs: integer(row, "updated_at"),
    error: errorCode === undefined ? undefined : { code: errorCode, detail: text(row, "error_detail") },
    facts: readFacts(row),
    duplicateOf: duplicateOf === undefined ? undefined : { seq: duplicateOf, id: hex(row, "original_id") },
    batch: batchNumber === undefined ? undefined : { number: batchNumber, index: integer(row, "batch_index") },
    payment: optional(row, "payment", readPayment),
  };
}

function readPayment(row: Row, name: string): SubmissionPayment {
  const [mode = "", state = "", price = ""] = text(row, name).split(" ");
  const parts: Row = { mode, state };
  return {
    mode: oneOf(parts, "mode", ["mock", "vault"]),
    state: oneOf(parts, "state", PAYMENT_STATES),
    priceWei: BigInt(price),
  };
}

function readFacts(row: Row): ProofFacts | undefined {
  if (row.kind === null || row.kind === undefined) return undefined;
  return {
    kind: oneOf(row, "kind", ["proof", "commitment"]),
    system: text(row, "system"),
    curve: text(row, "curve"),
    encoding: text(row, "encoding"),
    version: text(row, "proof_version"),
    vkHash: hex(row, "vk_hash"),
    publicInputsHash: hex(row, "public_inputs_hash"),
    proofHash: hex(row, "proof_hash"),
    statement: optional(row, "statement", hex),
    salt: hex(row, "salt"),
  };
}
