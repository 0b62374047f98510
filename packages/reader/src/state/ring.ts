/**
 * The blocks last taken per entry, and what was submitted for them: what the parent check and the marks of replaced
 * submissions live on.
 */
import type { DatabaseSync } from "node:sqlite";
import type { Hex } from "@cairn/primitives";

/** A block that was taken. */
export interface TakenBlock {
  readonly height: bigint;
  readonly hash: Hex;
}

/** Something that was submitted and acknowledged. */
export interface Sent {
  readonly height: bigint;
  /** -1 for a block's own hash. */
  readonly logIndex: number;
  /** Of the block. */
  readonly hash: Hex;
  /** What was submitted: tells one item of a place from another. */
  readonly value: string;
  readonly submissionId: string;
}

/** The blocks last taken of each entry, and what was submitted for them. */
export interface Ring {
  taken(chain: string, height: bigint): TakenBlock | undefined;
  /** The highest block taken at or below a height. */
  lastTaken(chain: string, height: bigint): TakenBlock | undefined;
  /** How many blocks are kept; RING_LENGTH when older ones were forgotten. */
  count(chain: string): number;
  /** Adds or replaces a block and forgets what is older than the ring. */
  take(chain: string, block: TakenBlock): void;
  /** Forgets the blocks above a height; what was submitted for them counts as replaced from now on. */
  rewind(chain: string, height: bigint): void;
  /** The same item, submitted before. */
  sent(chain: string, item: Omit<Sent, "submissionId">): Sent | undefined;
  /** What an item replaces: of the orphaned ones the same value, else the same place. */
  replaced(chain: string, item: Omit<Sent, "submissionId">): Sent | undefined;
  addSent(chain: string, sent: Sent): void;
}

/** Blocks kept per entry: the deepest reorganisation that can be followed. */
export const RING_LENGTH = 256;
/** Submissions remembered per entry. */
const SENT_LENGTH = 16_384;

/** The ring in a database. */
export function createRing(db: DatabaseSync): Ring {
  const sql = statements(db);
  return {
    taken: (chain, height) => toTaken(sql.taken.get(chain, height)),
    lastTaken: (chain, height) => toTaken(sql.lastTaken.get(chain, height)),
    count: (chain) => Number(sql.count.get(chain)?.n),
    take(chain, { height, hash }) {
      sql.take.run(chain, height, hash);
      sql.forget.run(chain, chain, RING_LENGTH);
    },
    rewind(chain, height) {
      sql.drop.run(chain, height);
      sql.orphan.run(chain, height);
    },
    sent: (chain, item) => toSent(sql.sent.get(chain, item.height, item.logIndex, item.hash, item.value)),
    replaced(chain, { height, logIndex, value }) {
      return toSent(sql.sameValue.get(chain, value)) ?? toSent(sql.samePlace.get(chain, height, logIndex));
    },
    addSent(chain, { height, logIndex, hash, value, submissionId }) {
      sql.addSent.run(chain, height, logIndex, hash, value, submissionId);
      sql.forgetSent.run(chain, chain, SENT_LENGTH);
    },
  };
}

function statements(db: DatabaseSync) {
  return {
    taken: db.prepare("SELECT height, hash FROM ring WHERE chain = ? AND height = ?"),
    lastTaken: db.prepare("SELECT height, hash FROM ring WHERE chain = ? AND height <= ? ORDER BY height DESC LIMIT 1"),
    count: db.prepare("SELECT count(*) AS n FROM ring WHERE chain = ?"),
    take: db.prepare("INSERT OR REPLACE INTO ring (chain, height, hash) VALUES (?, ?, ?)"),
    forget: db.prepare(
      `DELETE FROM ring WHERE chain = ? AND height <=
         (SELECT height FROM ring WHERE chain = ? ORDER BY height DESC LIMIT 1 OFFSET ?)`,
    ),
    drop: db.prepare("DELETE FROM ring WHERE chain = ? AND height > ?"),
    orphan: db.prepare("UPDATE sent SET orphaned = 1 WHERE chain = ? AND height > ?"),
    sent: db.prepare("SELECT * FROM sent WHERE chain = ? AND height = ? AND log_index = ? AND hash = ? AND value = ?"),
    sameValue: db.prepare(
      "SELECT * FROM sent WHERE chain = ? AND value = ? AND orphaned = 1 ORDER BY seq DESC LIMIT 1",
    ),
    samePlace: db.prepare(
      "SELECT * FROM sent WHERE chain = ? AND height = ? AND log_index = ? AND orphaned = 1 ORDER BY seq DESC LIMIT 1",
    ),
    addSent: db.prepare(
      `INSERT INTO sent (chain, height, log_index, hash, value, submission_id) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (chain, height, log_index, hash, value) DO UPDATE SET submission_id = excluded.submission_id,
         orphaned = 0`,
    ),
    forgetSent: db.prepare(
      `DELETE FROM sent WHERE chain = ? AND seq <=
         (SELECT seq FROM sent WHERE chain = ? ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
    ),
  };
}

type Row = Readonly<Record<string, unknown>>;

function toTaken(row: Row | undefined): TakenBlock | undefined {
  return row === undefined ? undefined : { height: BigInt(Number(row.height)), hash: row.hash as Hex };
}

function toSent(row: Row | undefined): Sent | undefined {
  if (row === undefined) return undefined;
  return {
    height: BigInt(Number(row.height)),
    logIndex: Number(row.log_index),
    hash: row.hash as Hex,
    value: String(row.value),
    submissionId: String(row.submission_id),
  };
}
