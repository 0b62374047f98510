/** How far backfills have come, and which chain an entry was first seen on. */
import type { DatabaseSync } from "node:sqlite";
import type { ChainIdentity } from "../block-source.ts";

/** Where backfills stand, and which chain an entry has read. */
export interface Progress {
  /** The next height of a backfill that was interrupted; undefined for a new one. */
  backfill(chain: string, first: bigint, last: bigint): bigint | undefined;
  setBackfill(chain: string, first: bigint, last: bigint, next: bigint): void;
  endBackfill(chain: string, first: bigint, last: bigint): void;
  identity(chain: string): ChainIdentity | undefined;
  setIdentity(chain: string, identity: ChainIdentity): void;
}

/** The progress in a database. */
export function createProgress(db: DatabaseSync): Progress {
  const sql = {
    next: db.prepare("SELECT next FROM backfill WHERE chain = ? AND first = ? AND last = ?"),
    set: db.prepare("INSERT OR REPLACE INTO backfill (chain, first, last, next) VALUES (?, ?, ?, ?)"),
    end: db.prepare("DELETE FROM backfill WHERE chain = ? AND first = ? AND last = ?"),
    told: db.prepare("SELECT told FROM identity WHERE chain = ?"),
    tell: db.prepare("INSERT OR REPLACE INTO identity (chain, told) VALUES (?, ?)"),
  };
  return {
    backfill(chain, first, last) {
      const row = sql.next.get(chain, first, last);
      return row === undefined ? undefined : BigInt(Number(row.next));
    },
    setBackfill(chain, first, last, next) {
      sql.set.run(chain, first, last, next);
    },
    endBackfill(chain, first, last) {
      sql.end.run(chain, first, last);
    },
    identity(chain) {
      const row = sql.told.get(chain);
      return row === undefined ? undefined : JSON.parse(String(row.told));
    },
    setIdentity(chain, identity) {
      sql.tell.run(chain, JSON.stringify(identity));
    },
  };
}
