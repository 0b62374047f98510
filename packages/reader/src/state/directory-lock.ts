/**
 * One reader per directory: two of them would follow the same cursors. The lock is the operating system's, on a database
 * file of its own; it ends with the process, however that ends.
 */
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Another reader uses the directory. */
export class DirectoryInUseError extends Error {
  readonly code = "directory-in-use";
  override readonly name = "DirectoryInUseError";
}

/** A lock that is held. */
export interface DirectoryLock {
  release(): void;
}

const FILE = ".reader-lock";
/** A reader that is just ending is waited for. */
const PATIENCE_MS = 3_000;
const PAUSE_MS = 100;

/**
 * Takes the lock of a directory, creating it with a mode where it is missing. Rejects with DirectoryInUseError; `flag`
 * names another place.
 */
export async function lockDirectory(dir: string, flag: string, mode = 0o700): Promise<DirectoryLock> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const lock = tryLock(dir, mode);
    if (lock !== undefined) return lock;
    if (performance.now() > end) {
      throw new DirectoryInUseError(`another reader uses ${dir}: end it, or name another directory with ${flag}`);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function tryLock(dir: string, mode: number): DirectoryLock | undefined {
  mkdirSync(dir, { recursive: true, mode });
  const file = join(dir, FILE);
  closeSync(openSync(file, "a", 0o600));
  const db = new DatabaseSync(file);
  try {
    db.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return { release: () => db.close() };
  } catch (error) {
    db.close();
    if (error instanceof Error && /locked|busy/.test(error.message)) return undefined;
    throw error;
  }
}
