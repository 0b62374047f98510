/**
 * The reader's own durable state beside the cursor files: the ring of recent hashes and submissions per entry, the
 * pushed block numbers, the dead letters, the progress of backfills. SQLite, synchronous = FULL: what returned is on
 * disk. Several processes may have it open.
 */
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createDeadLetters, type DeadLetters } from "./dead-letters.ts";
import { createProgress, type Progress } from "./progress.ts";
import { createPushes, type Pushes } from "./pushes.ts";
import { createRing, type Ring } from "./ring.ts";
import { migrate } from "./schema.ts";

/** Everything durable of a reader beside the cursor files. */
export interface StateStore {
  readonly ring: Ring;
  readonly pushes: Pushes;
  readonly letters: DeadLetters;
  readonly progress: Progress;
  close(): void;
}

/** Opens `reader.db` in a directory, creating both for their owner only. Throws StateTooNewError. */
export function openStateStore(dir: string): StateStore {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = join(dir, "reader.db");
  // SQLite would make it readable by all; its journals take over the mode.
  closeSync(openSync(file, "a", 0o600));
  const db = new DatabaseSync(file);
  try {
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;");
    migrate(db);
  } catch (error) {
    db.close();
    throw error;
  }
  return {
    ring: createRing(db),
    pushes: createPushes(db),
    letters: createDeadLetters(db),
    progress: createProgress(db),
    close: () => db.close(),
  };
}
