/**
 * Storing a verdict: facts, bytes and key of a valid proof, and statement de-duplication (docs/formats.md). The
 * caller owns the transaction.
 */
import { hexToBytes } from "@cairn/primitives";
import { slotGas } from "../settlement-gas.ts";
import type { VerdictRecord } from "../store.ts";
import { SUBMISSION_STATES, statesAfterVerified } from "../submission-life.ts";
import { bytesOrNull, integer, oneOf } from "./columns.ts";
import type { Database, Row } from "./database.ts";
import type { Book } from "./ledger-book.ts";
import { moveOne, writeEvent } from "./moves.ts";
import { lowerPrice, releasePayment } from "./payments.ts";
import { insertKey } from "./verification-keys.ts";

type Valid = Extract<VerdictRecord, { ok: true }>;

/** Fixed bytes of a `VerifyProofs` slot around proof, public inputs and record (packages/contracts/README.md). */
const SLOT_FRAME_BYTES = 31;

/** Stores one verdict. A submission no longer `received` is left alone: the verdict was stored before. */
export function recordVerdict(database: Database, book: Book, verdict: VerdictRecord): void {
  const { nowMs } = book;
  if (!verdict.ok) {
    if (!moveOne(database, verdict.seq, "refused", nowMs)) return;
    releasePayment(database, book, verdict.seq);
    database.run(
      "UPDATE submissions SET error_code = ?, error_detail = ? WHERE seq = ?",
      verdict.code,
      verdict.detail,
      verdict.seq,
    );
    return;
  }
  const original = findOriginal(database, verdict.statementKey);
  if (!moveOne(database, verdict.seq, "verified", nowMs)) return;
  writeFacts(database, verdict, original === undefined ? null : integer(original, "seq"));
  writeBytes(database, verdict, nowMs);
  if (original === undefined && verdict.priceWei !== undefined) {
    lowerPrice(database, book, verdict.seq, verdict.priceWei);
  }
  if (original === undefined) return;
  releasePayment(database, book, verdict.seq);
  catchUp(database, verdict.seq, original, nowMs);
}

function findOriginal(database: Database, statementKey: Uint8Array | undefined): Row | undefined {
  if (statementKey === undefined) return undefined;
  return database.get(
    `SELECT seq, state, batch_number, batch_index FROM submissions
     WHERE statement_key = ? AND duplicate_of IS NULL AND state <> 'rejected'`,
    statementKey,
  );
}

function writeFacts(database: Database, { seq, facts, ...verdict }: Valid, duplicateOf: number | null): void {
  const { canonicalProof, publicInputs, record } = verdict;
  database.run(
    `UPDATE submissions SET kind = ?, system = ?, curve = ?, encoding = ?, proof_version = ?, vk_hash = ?,
       public_inputs_hash = ?, proof_hash = ?, statement = ?, salt = ?, slot_bytes = ?, slot_gas = ?, statement_key = ?,
       duplicate_of = ? WHERE seq = ?`,
    facts.kind,
    facts.system,
    facts.curve,
    facts.encoding,
    facts.version,
    hexToBytes(facts.vkHash),
    hexToBytes(facts.publicInputsHash),
    hexToBytes(facts.proofHash),
    bytesOrNull(facts.statement),
    hexToBytes(facts.salt),
    SLOT_FRAME_BYTES + canonicalProof.length + publicInputs.length + record.length,
    slotGas({
      kind: facts.kind,
      curve: facts.curve,
      proofBytes: canonicalProof.length,
      publicInputsBytes: publicInputs.length,
    }),
    verdict.statementKey ?? null,
    duplicateOf,
    seq,
  );
}

function writeBytes(database: Database, { seq, facts, ...verdict }: Valid, nowMs: number): void {
  database.run(
    "INSERT OR REPLACE INTO proofs (submission, canonical_proof, public_inputs, record, leaf) VALUES (?, ?, ?, ?, ?)",
    seq,
    verdict.canonicalProof,
    verdict.publicInputs,
    verdict.record,
    verdict.leaf,
  );
  if (facts.kind === "commitment") return;
  const { vkHash, system, curve } = facts;
  insertKey(database, { vkHash, system, curve, canonicalKey: verdict.canonicalKey }, nowMs);
}

/** Brings a duplicate to its original's state and batch, one event per state passed. */
function catchUp(database: Database, seq: number, original: Row, nowMs: number): void {
  const state = oneOf(original, "state", SUBMISSION_STATES);
  const states = statesAfterVerified(state);
  if (states.length === 0) return;
  for (const passed of states) writeEvent(database, seq, passed, nowMs);
  database.run(
    "UPDATE submissions SET state = ?, batch_number = ?, batch_index = ?, version = version + ? WHERE seq = ?",
    state,
    integer(original, "batch_number"),
    integer(original, "batch_index"),
    states.length,
    seq,
  );
}
