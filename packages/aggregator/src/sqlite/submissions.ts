/** `SubmissionStore` on SQLite: intake, reading, listing. */
import { hexToBytes } from "@cairn/primitives";
import { paymentRefusal } from "../payment/ledger.ts";
import type {
  HistoryEntry,
  Inserted,
  InsertOutcome,
  NewSubmission,
  Submission,
  SubmissionQuery,
  SubmissionStore,
} from "../store.ts";
import { isRetryable, SUBMISSION_STATES, type SubmissionState } from "../submission-life.ts";
import { blob, bytesOrNull, CorruptStoreError, integer, oneOf, optional, text } from "./columns.ts";
import type { Database } from "./database.ts";
import { type Book, withBook } from "./ledger-book.ts";
import { moveOne, writeEvent } from "./moves.ts";
import { findPayment, reservePayment } from "./payments.ts";
import { isMarked, markRequest } from "./request-marks.ts";
import { readSubmission, SUBMISSION_COLUMNS } from "./submission-row.ts";
import { recordVerdict } from "./verdicts.ts";

/** The submission part of the store. */
export function submissionStore(database: Database): SubmissionStore {
  return {
    insert: async (submissions, nowMs) =>
      database.transaction(() =>
        withBook(database, nowMs, (book) => submissions.map((submission) => insertOne(database, book, submission))),
      ),
    find: async (id) => findById(database, hexToBytes(id)),
    history: async (seq) => history(database, seq),
    histories: async (seqs) => seqs.map((seq) => history(database, seq)),
    list: async (query) => list(database, query),
    received: async (limit, maxCharacters) => received(database, limit, maxCharacters),
    countByState: async () => countByState(database),
    recordVerdicts: async (verdicts, nowMs) =>
      database.transaction(() =>
        withBook(database, nowMs, (book) => {
          for (const verdict of verdicts) recordVerdict(database, book, verdict);
        }),
      ),
    proofData: async (seq) => {
      const row = database.get("SELECT data FROM proof_data WHERE submission = ?", seq);
      return row === undefined ? undefined : text(row, "data");
    },
    canonicalProof: async (seq) => proofColumn(database, "canonical_proof", seq),
    record: async (seq) => proofColumn(database, "record", seq),
  };
}

function history(database: Database, seq: number): readonly HistoryEntry[] {
  return database
    .all("SELECT state, at FROM events WHERE submission = ? ORDER BY seq", seq)
    .map((row) => ({ state: oneOf(row, "state", SUBMISSION_STATES), atMs: integer(row, "at") }));
}

function proofColumn(database: Database, column: "canonical_proof" | "record", seq: number): Uint8Array | undefined {
  const row = database.get(`SELECT ${column} FROM proofs WHERE submission = ?`, seq);
  return row === undefined ? undefined : blob(row, column);
}

function findById(database: Database, id: Uint8Array): Submission | undefined {
  const row = database.get(`SELECT ${SUBMISSION_COLUMNS} FROM submissions s WHERE s.id = ?`, id);
  return row === undefined ? undefined : readSubmission(row);
}

function insertOne(database: Database, book: Book, submission: NewSubmission): InsertOutcome {
  const id = hexToBytes(submission.id);
  const known = findById(database, id);
  if (known !== undefined && !(known.state === "rejected" && isRetryable(known.error?.code ?? ""))) {
    const isRepeat = submission.request !== undefined && isMarked(database, submission.request, id, book.nowMs);
    return { outcome: isRepeat ? "repeated" : "duplicate", submission: known };
  }
  const { payment } = submission;
  const books = payment === undefined ? undefined : book.books(hexToBytes(payment.payer));
  const refusal = payment === undefined || books === undefined ? undefined : paymentRefusal(books, payment, book.nowMs);
  if (refusal !== undefined) return refusal;
  const inserted: Inserted =
    known === undefined
      ? { outcome: "inserted", submission: insertRow(database, submission, id, book.nowMs) }
      : requeue(database, known, id, book.nowMs);
  if (submission.request !== undefined) markRequest(database, submission.request, id, book.nowMs);
  if (payment === undefined) return inserted;
  reservePayment(database, book, inserted.submission.seq, payment);
  const { mode, priceWei } = payment;
  return { ...inserted, submission: { ...inserted.submission, payment: { mode, state: "reserved", priceWei } } };
}

function requeue(database: Database, known: Submission, id: Uint8Array, nowMs: number): Inserted {
  moveOne(database, known.seq, "resubmitted", nowMs);
  database.run("UPDATE submissions SET error_code = NULL, error_detail = NULL WHERE seq = ?", known.seq);
  const again = findById(database, id);
  if (again === undefined) throw new CorruptStoreError("a row vanished inside its transaction");
  return { outcome: "requeued", submission: again };
}

function insertRow(database: Database, s: NewSubmission, id: Uint8Array, nowMs: number): Submission {
  const row = database.get(
    `INSERT INTO submissions (id, account, chain_id, chain_key, block_number, source, external_id, metadata, reorg_of,
       state, version, received_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'received', 1, ?, ?) RETURNING seq`,
    id,
    s.account,
    s.chainId,
    s.chainKey,
    s.blockNumber ?? null,
    s.source,
    s.externalId ?? null,
    s.metadata ?? null,
    bytesOrNull(s.reorgOf),
    nowMs,
    nowMs,
  );
  if (row === undefined) throw new CorruptStoreError("an insert gave no row");
  const seq = integer(row, "seq");
  database.run(
    "INSERT INTO proof_data (submission, data, evidence) VALUES (?, ?, ?)",
    seq,
    s.proofData,
    s.evidence ?? null,
  );
  writeEvent(database, seq, "received", nowMs);
  const { proofData: _, evidence: __, payment: ___, request: ____, ...content } = s;
  return { ...content, seq, state: "received", version: 1, receivedAtMs: nowMs, updatedAtMs: nowMs, ...NOTHING_YET };
}

const NOTHING_YET = {
  ...{ error: undefined, facts: undefined, duplicateOf: undefined, batch: undefined, payment: undefined },
} as const;

function list(database: Database, query: SubmissionQuery): readonly Submission[] {
  // Hashes are nearly unique: their indexes, not the account's, are to be read then.
  const byHash = query.proofHash !== undefined || query.statement !== undefined;
  const account = byHash ? "+s.account = ?" : "s.account = ?";
  const conditions: [string, string | number | Uint8Array][] = [[account, query.account]];
  if (query.before !== undefined) conditions.push(["s.seq < ?", query.before]);
  if (query.state !== undefined) conditions.push(["s.state = ?", query.state]);
  if (query.chainKey !== undefined) conditions.push(["s.chain_key = ?", query.chainKey]);
  if (query.sinceMs !== undefined) conditions.push(["s.received_at >= ?", query.sinceMs]);
  if (query.proofHash !== undefined) conditions.push(["s.proof_hash = ?", hexToBytes(query.proofHash)]);
  if (query.statement !== undefined) conditions.push(["s.statement = ?", hexToBytes(query.statement)]);
  if (query.externalId !== undefined) conditions.push(["s.external_id = ?", query.externalId]);
  const where = conditions.map(([condition]) => condition).join(" AND ");
  return database
    .all(
      `SELECT ${SUBMISSION_COLUMNS} FROM submissions s WHERE ${where} ORDER BY s.seq DESC LIMIT ?`,
      ...conditions.map(([, value]) => value),
      query.limit,
    )
    .map(readSubmission);
}

function received(database: Database, limit: number, maxCharacters: number) {
  const rows = database.all(
    `SELECT s.seq, s.account, s.chain_key, s.block_number, octet_length(d.data) AS size
     FROM submissions s JOIN proof_data d ON d.submission = s.seq
     WHERE s.state = 'received' ORDER BY s.seq LIMIT ?`,
    limit,
  );
  let total = 0;
  const fitting = rows.filter((row, index) => {
    total += integer(row, "size");
    return index === 0 || total <= maxCharacters;
  });
  return fitting.map((row) => {
    const data = database.get("SELECT data FROM proof_data WHERE submission = ?", integer(row, "seq"));
    return {
      seq: integer(row, "seq"),
      account: text(row, "account"),
      chainKey: text(row, "chain_key"),
      blockNumber: optional(row, "block_number", text),
      proofData: data === undefined ? "" : text(data, "data"),
      payment: findPayment(database, integer(row, "seq")),
    };
  });
}

function countByState(database: Database): Readonly<Record<SubmissionState, number>> {
  const counts: Record<SubmissionState, number> = {
    received: 0,
    verified: 0,
    batched: 0,
    settled: 0,
    anchored: 0,
    final: 0,
    rejected: 0,
  };
  for (const row of database.all("SELECT state, count(*) AS n FROM submissions GROUP BY state")) {
    counts[oneOf(row, "state", SUBMISSION_STATES)] = integer(row, "n");
  }
  return counts;
}
