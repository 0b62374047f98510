/** `BatchStore` on SQLite: closing, attempts, reading. Settling is in settle.ts. */
import { hexToBytes } from "@cairn/primitives";
import type { ReceiptSettlement } from "@cairn/proofs";
import type { BatchStore, SettlementAttempt } from "../batch-store.ts";
import { keyGas } from "../settlement-gas.ts";
import { type AttemptState, attemptStep } from "../settlement-life.ts";
import { readBatch } from "./batch-row.ts";
import { blob, hex, integer, oneOf, optional, text } from "./columns.ts";
import type { Database, Row } from "./database.ts";
import { wei, withBook } from "./ledger-book.ts";
import { moveOne } from "./moves.ts";
import { readLeaves, settleBatch } from "./settle.ts";

const ATTEMPT_STATES = ["signed", "sent", "included", "reverted", "displaced"] as const satisfies AttemptState[];

/** The batch part of the store. */
export function batchStore(database: Database): BatchStore {
  return {
    pending: async (limit) => pending(database, limit),
    closeBatch: async (o, nowMs) => database.transaction(() => close(database, o, nowMs)),
    slots: async (number) => slots(database, number),
    leaves: async (number) => readLeaves(database, number),
    unsettled: async (limit) => unsettled(database, limit),
    lastNonce: async () => {
      const row = database.get("SELECT max(nonce) AS nonce FROM settlement_attempts");
      return row === undefined ? undefined : optional(row, "nonce", integer);
    },
    addAttempt: async (o) =>
      void database.run(
        `INSERT INTO settlement_attempts (batch, attempt, nonce, hash, state, signed_at, raw)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        ...[o.batch, o.attempt, o.nonce, hexToBytes(o.hash), o.state, o.signedAtMs, o.raw],
      ),
    attemptRaw: async (batch, attempt) => {
      const row = database.get("SELECT raw FROM settlement_attempts WHERE batch = ? AND attempt = ?", batch, attempt);
      return row === undefined ? undefined : blob(row, "raw");
    },
    moveAttempt: async (batch, attempt, event) =>
      database.transaction(() => {
        const row = database.get(
          "SELECT state FROM settlement_attempts WHERE batch = ? AND attempt = ?",
          batch,
          attempt,
        );
        const next = row === undefined ? undefined : attemptStep(oneOf(row, "state", ATTEMPT_STATES), event);
        if (next === undefined) return;
        database.run("UPDATE settlement_attempts SET state = ? WHERE batch = ? AND attempt = ?", next, batch, attempt);
      }),
    settle: async (number, settlement, part, nowMs, payments = NO_PAYMENTS) =>
      database.transaction(() =>
        withBook(database, nowMs, (book) => settleBatch(database, number, settlement, part, { book, payments })),
      ),
    batch: async (number) => {
      const row = database.get("SELECT * FROM batches WHERE number = ?", number);
      return row === undefined ? undefined : readBatch(row);
    },
    batches: async (o) =>
      database
        .all("SELECT * FROM batches WHERE number < ? ORDER BY number DESC LIMIT ?", o.before ?? MAX_NUMBER, o.limit)
        .map(readBatch),
    batchByCommitment: async (commitment) => {
      const row = database.get("SELECT * FROM batches WHERE commitment = ?", hexToBytes(commitment));
      return row === undefined ? undefined : readBatch(row);
    },
    receiptSettlement: async (number): Promise<ReceiptSettlement | undefined> => {
      const row = database.get("SELECT json FROM receipt_settlements WHERE batch = ?", number);
      return row === undefined ? undefined : JSON.parse(text(row, "json"));
    },
  };
}

const NO_PAYMENTS = { charges: [], mockShort: false } as const;
const MAX_NUMBER = Number.MAX_SAFE_INTEGER;
/** Tag and length in front of a key in the `VerifyProofs` input. */
const KEY_FRAME_BYTES = 5;

function pending(database: Database, limit: number) {
  return database
    .all(
      `SELECT s.seq, s.slot_bytes, s.slot_gas, s.kind, s.vk_hash, s.updated_at, s.curve, k.size, k.commitments, p.payer
       FROM submissions s
       LEFT JOIN verification_keys k ON k.vk_hash = s.vk_hash
       LEFT JOIN payments p ON p.submission = s.seq AND p.mode = 'vault'
       WHERE s.state = 'verified' AND s.duplicate_of IS NULL ORDER BY s.seq LIMIT ?`,
      limit,
    )
    .map((row) => {
      const isProof = text(row, "kind") === "proof";
      return {
        seq: integer(row, "seq"),
        slotBytes: integer(row, "slot_bytes"),
        vkHash: isProof ? hex(row, "vk_hash") : undefined,
        keyBytes: isProof ? integer(row, "size") + KEY_FRAME_BYTES : 0,
        slotGas: integer(row, "slot_gas"),
        keyGas: isProof
          ? keyGas({
              curve: text(row, "curve"),
              keyBytes: integer(row, "size"),
              commitments: integer(row, "commitments"),
            })
          : 0,
        payer: optional(row, "payer", hex),
        verifiedAtMs: integer(row, "updated_at"),
      };
    });
}

function close(database: Database, o: { slots: readonly number[]; bytes: number }, nowMs: number): number {
  const number = nextNumber(database);
  database.run(
    "INSERT INTO batches (number, state, size, bytes, closed_at) VALUES (?, 'batched', ?, ?, ?)",
    ...[number, o.slots.length, o.bytes, nowMs],
  );
  for (const [index, seq] of o.slots.entries()) {
    const duplicates = database.all("SELECT seq FROM submissions WHERE duplicate_of = ? AND state = 'verified'", seq);
    for (const member of [seq, ...duplicates.map((row) => integer(row, "seq"))]) {
      moveOne(database, member, "batched", nowMs);
      database.run("UPDATE submissions SET batch_number = ?, batch_index = ? WHERE seq = ?", number, index, member);
    }
  }
  return number;
}

function nextNumber(database: Database): number {
  const last = database.get("SELECT max(number) AS number FROM batches");
  const highest = last === undefined ? undefined : optional(last, "number", integer);
  const base = database.get("SELECT value FROM settings WHERE key = 'batch-base'");
  return Math.max(highest ?? 0, base === undefined ? 0 : Number(text(base, "value"))) + 1;
}

function slots(database: Database, number: number) {
  return database
    .all(
      `SELECT s.seq, s.batch_index, s.kind, s.system, s.curve, s.vk_hash, p.canonical_proof, p.public_inputs, p.record,
         k.canonical_key, y.payer, y.price
       FROM submissions s JOIN proofs p ON p.submission = s.seq LEFT JOIN verification_keys k ON k.vk_hash = s.vk_hash
         LEFT JOIN payments y ON y.submission = s.seq AND y.mode = 'vault' AND y.price <> '0'
       WHERE s.batch_number = ? AND s.duplicate_of IS NULL ORDER BY s.batch_index`,
      number,
    )
    .map((row) => ({
      seq: integer(row, "seq"),
      index: integer(row, "batch_index"),
      kind: oneOf(row, "kind", ["proof", "commitment"] as const),
      system: text(row, "system"),
      curve: text(row, "curve"),
      vkHash: hex(row, "vk_hash"),
      canonicalProof: blob(row, "canonical_proof"),
      canonicalKey: optional(row, "canonical_key", blob) ?? new Uint8Array(0),
      publicInputs: blob(row, "public_inputs"),
      record: blob(row, "record"),
      payment: row.payer === null ? undefined : { payer: hex(row, "payer"), priceWei: wei(row, "price") },
    }));
}

function unsettled(database: Database, limit: number) {
  return database
    .all(
      `SELECT b.number, b.size, a.batch, a.attempt, a.nonce, a.hash, a.state, a.signed_at FROM batches b
       LEFT JOIN settlement_attempts a ON a.batch = b.number
         AND a.attempt = (SELECT max(attempt) FROM settlement_attempts WHERE batch = b.number)
       WHERE b.state = 'batched' ORDER BY b.number LIMIT ?`,
      limit,
    )
    .map((row) => ({
      number: integer(row, "number"),
      size: integer(row, "size"),
      attempt: row.attempt === null ? undefined : readAttempt(row),
    }));
}

function readAttempt(row: Row): SettlementAttempt {
  return {
    batch: integer(row, "batch"),
    attempt: integer(row, "attempt"),
    nonce: integer(row, "nonce"),
    hash: hex(row, "hash"),
    state: oneOf(row, "state", ATTEMPT_STATES),
    signedAtMs: integer(row, "signed_at"),
  };
}
