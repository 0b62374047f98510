/** `AnchorStore` on SQLite. Each change moves the anchor, its batches and their submissions in one transaction. */
import { hexToBytes } from "@cairn/primitives";
import type { ReceiptAnchor } from "@cairn/proofs";
import { type AnchorEvent, type AnchorState, anchorStep } from "../anchor-life.ts";
import type { Anchor, AnchorStore, AnchorVariant, NewAnchor } from "../anchor-store.ts";
import type { SubmissionEvent } from "../submission-life.ts";
import { readBatch } from "./batch-row.ts";
import { blob, hex, integer, oneOf, optional, text } from "./columns.ts";
import type { Database, Row } from "./database.ts";
import { moveBatch } from "./moves.ts";

/** Every column, and the variants as JSON. */
const ANCHORS = `SELECT *, (SELECT json_group_array(json_object('txid', v.txid, 'signedHeight', v.signed_height)
    ORDER BY v.variant) FROM anchor_variants v WHERE v.sequence = anchors.sequence) AS variants FROM anchors`;

/** The anchor part of the store. */
export function anchorStore(database: Database): AnchorStore {
  const one = (sql: string, value: number | Uint8Array): Anchor | undefined => {
    const row = database.get(sql, value);
    return row === undefined ? undefined : readAnchor(row);
  };
  return {
    unanchored: async (limit) =>
      database
        .all("SELECT * FROM batches WHERE state = 'settled' AND anchor_sequence IS NULL ORDER BY number LIMIT ?", limit)
        .map(readBatch),
    createAnchor: async (anchor, batches) => database.transaction(() => create(database, anchor, batches)),
    openAnchors: async () => database.all(`${ANCHORS} WHERE state <> 'final' ORDER BY sequence`).map(readAnchor),
    finalAnchors: async (o) =>
      database
        .all(
          `${ANCHORS} WHERE state = 'final' AND sequence < ? ORDER BY sequence DESC LIMIT ?`,
          o.before ?? Number.MAX_SAFE_INTEGER,
          o.limit,
        )
        .map(readAnchor),
    lastAnchor: async () => {
      const row = database.get(`${ANCHORS} ORDER BY sequence DESC LIMIT 1`);
      return row === undefined ? undefined : readAnchor(row);
    },
    addVariant: async (sequence, variant) => database.transaction(() => addVariant(database, sequence, variant)),
    anchorAccepted: async (sequence) => void database.transaction(() => step(database, sequence, "accepted")),
    anchorMined: async (sequence, block, parts, nowMs) =>
      database.transaction(() => mined(database, sequence, block, parts, nowMs)),
    anchorLost: async (sequence, event, fromHeight, nowMs) =>
      database.transaction(() => lost(database, { sequence, event, fromHeight, nowMs })),
    anchorFinal: async (sequence, nowMs) =>
      database.transaction(() => {
        if (!step(database, sequence, "buried")) return;
        database.run("UPDATE anchors SET final_at = ? WHERE sequence = ?", nowMs, sequence);
        moveAll(database, sequence, "finalized", nowMs);
      }),
    anchorDisplaced: async (sequence) => database.transaction(() => displaced(database, sequence)),
    anchor: async (sequence) => one(`${ANCHORS} WHERE sequence = ?`, sequence),
    anchors: async (o) =>
      database
        .all(
          `${ANCHORS} WHERE sequence < ? ORDER BY sequence DESC LIMIT ?`,
          o.before ?? Number.MAX_SAFE_INTEGER,
          o.limit,
        )
        .map(readAnchor),
    anchorByCommitment: async (commitment) => one(`${ANCHORS} WHERE commitment = ?`, hexToBytes(commitment)),
    anchorBatches: async (sequence) =>
      database.all("SELECT * FROM batches WHERE anchor_sequence = ? ORDER BY anchor_index", sequence).map(readBatch),
    receiptAnchor: async (number): Promise<ReceiptAnchor | undefined> => {
      const row = database.get("SELECT json FROM receipt_anchors WHERE batch = ?", number);
      return row === undefined ? undefined : JSON.parse(text(row, "json"));
    },
  };
}

const STATES = ["intent", "broadcast", "mined", "final"] as const satisfies AnchorState[];

function create(database: Database, a: NewAnchor, batches: readonly number[]): void {
  database.run(
    `INSERT INTO anchors (sequence, state, network, size, root, header, commitment, raw_tx, txid, input_txid,
       input_vout, input_value, change_txid, change_vout, change_value, fee, from_height, created_at)
     VALUES (?, 'intent', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[a.sequence, a.network, a.size, hexToBytes(a.root), hexToBytes(a.header), hexToBytes(a.commitment), a.rawTx],
    ...[a.txid, a.input.txid, a.input.vout, a.input.valueSat, a.change.txid, a.change.vout, a.change.valueSat],
    ...[a.feeSat, a.fromHeight, a.createdAtMs],
  );
  insertVariant(database, a.sequence, { ...a, signedHeight: a.fromHeight });
  for (const [index, number] of batches.entries()) {
    database.run(
      "UPDATE batches SET anchor_sequence = ?, anchor_index = ? WHERE number = ? AND anchor_sequence IS NULL",
      ...[a.sequence, index, number],
    );
  }
}

function insertVariant(database: Database, sequence: number, v: AnchorVariant): void {
  database.run(
    `INSERT INTO anchor_variants (sequence, variant, txid, raw_tx, input_txid, input_vout, input_value, change_txid,
       change_vout, change_value, fee, signed_height)
     VALUES (?, (SELECT coalesce(max(variant), 0) + 1 FROM anchor_variants WHERE sequence = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[sequence, sequence, v.txid, v.rawTx, v.input.txid, v.input.vout, v.input.valueSat],
    ...[v.change.txid, v.change.vout, v.change.valueSat, v.feeSat, v.signedHeight],
  );
}

/**
 * Only while no variant is in a block. Signing is deterministic: after a reorg the same bytes may be signed again, over
 * the predecessor's change of before or for the fee of a variant that lost. They become the newest variant.
 */
function addVariant(database: Database, sequence: number, variant: AnchorVariant): void {
  const row = database.get("SELECT state FROM anchors WHERE sequence = ?", sequence);
  const state = row === undefined ? undefined : oneOf(row, "state", STATES);
  if (state !== "intent" && state !== "broadcast") return;
  database.run("DELETE FROM anchor_variants WHERE sequence = ? AND txid = ?", sequence, variant.txid);
  insertVariant(database, sequence, variant);
  makeCurrent(database, sequence, variant.txid);
}

const VARIANT_COLUMNS =
  "txid, raw_tx, input_txid, input_vout, input_value, change_txid, change_vout, change_value, fee";

function makeCurrent(database: Database, sequence: number, txid: string): void {
  database.run(
    `UPDATE anchors SET (${VARIANT_COLUMNS}) = (SELECT ${VARIANT_COLUMNS} FROM anchor_variants WHERE txid = ?)
     WHERE sequence = ? AND txid <> ?`,
    ...[txid, sequence, txid],
  );
}

function step(database: Database, sequence: number, event: AnchorEvent): boolean {
  const row = database.get("SELECT state FROM anchors WHERE sequence = ?", sequence);
  const next = row === undefined ? undefined : anchorStep(oneOf(row, "state", STATES), event);
  if (next === undefined || next === "gone") return false;
  database.run("UPDATE anchors SET state = ? WHERE sequence = ?", next, sequence);
  return true;
}

const BATCH_STATE = { anchored: "anchored", reorged: "settled", finalized: "final", orphaned: "settled" } as const;

function moveAll(
  database: Database,
  sequence: number,
  event: SubmissionEvent & keyof typeof BATCH_STATE,
  nowMs: number,
) {
  for (const row of database.all("SELECT number FROM batches WHERE anchor_sequence = ?", sequence)) {
    moveBatch(database, integer(row, "number"), event, nowMs);
  }
  database.run("UPDATE batches SET state = ? WHERE anchor_sequence = ?", BATCH_STATE[event], sequence);
}

function mined(
  database: Database,
  sequence: number,
  block: Parameters<AnchorStore["anchorMined"]>[1],
  parts: ReadonlyMap<number, ReceiptAnchor>,
  nowMs: number,
): void {
  if (!step(database, sequence, "mined")) return;
  makeCurrent(database, sequence, block.txid);
  database.run(
    "UPDATE anchors SET height = ?, block_hash = ?, mined_at = ? WHERE sequence = ?",
    ...[block.height, block.blockHash, nowMs, sequence],
  );
  for (const [number, part] of parts) {
    database.run("INSERT OR REPLACE INTO receipt_anchors (batch, json) VALUES (?, ?)", number, JSON.stringify(part));
  }
  moveAll(database, sequence, "anchored", nowMs);
}

function lost(
  database: Database,
  o: {
    readonly sequence: number;
    readonly event: "reorged" | "orphaned";
    readonly fromHeight: number;
    readonly nowMs: number;
  },
): void {
  if (!step(database, o.sequence, o.event)) return;
  database.run(
    "UPDATE anchors SET height = NULL, block_hash = NULL, mined_at = NULL, final_at = NULL WHERE sequence = ?",
    o.sequence,
  );
  database.run(
    "UPDATE anchors SET from_height = min(from_height, ?) WHERE sequence >= ? AND height IS NULL",
    o.fromHeight,
    o.sequence,
  );
  database.run(
    "DELETE FROM receipt_anchors WHERE batch IN (SELECT number FROM batches WHERE anchor_sequence = ?)",
    o.sequence,
  );
  moveAll(database, o.sequence, o.event, o.nowMs);
}

function displaced(database: Database, sequence: number): void {
  const later = database.all("SELECT sequence, state FROM anchors WHERE sequence >= ?", sequence);
  if (later.some((row) => anchorStep(oneOf(row, "state", STATES), "displaced") !== "gone")) return;
  database.run("UPDATE batches SET anchor_sequence = NULL, anchor_index = NULL WHERE anchor_sequence >= ?", sequence);
  database.run("DELETE FROM anchor_variants WHERE sequence >= ?", sequence);
  database.run("DELETE FROM anchors WHERE sequence >= ?", sequence);
}

function readAnchor(row: Row): Anchor {
  const height = optional(row, "height", integer);
  const coin = (name: "input" | "change") => ({
    txid: text(row, `${name}_txid`),
    vout: integer(row, `${name}_vout`),
    valueSat: integer(row, `${name}_value`),
  });
  return {
    sequence: integer(row, "sequence"),
    state: oneOf(row, "state", STATES),
    network: text(row, "network"),
    size: integer(row, "size"),
    root: hex(row, "root"),
    header: hex(row, "header"),
    commitment: hex(row, "commitment"),
    rawTx: blob(row, "raw_tx"),
    txid: text(row, "txid"),
    input: coin("input"),
    change: coin("change"),
    feeSat: integer(row, "fee"),
    variants: JSON.parse(text(row, "variants")),
    fromHeight: integer(row, "from_height"),
    createdAtMs: integer(row, "created_at"),
    mined:
      height === undefined ? undefined : { height, blockHash: text(row, "block_hash"), atMs: integer(row, "mined_at") },
    finalAtMs: optional(row, "final_at", integer),
  };
}
