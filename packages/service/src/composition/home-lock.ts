/**
 * One service per home: two of them would sign with the same keys and send each settlement and anchor twice. The lock is
 * the operating system's, on a database file of its own; it ends with the process, however that ends.
 */
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";

/** Another service runs on the home. */
export class HomeInUseError extends Error {
  readonly code = "home-in-use";
  override readonly name = "HomeInUseError";
}

/** A lock that is held. */
export interface HomeLock {
  release(): void;
}

const FILE = ".service-lock";
/** A service that is just ending is waited for. */
const PATIENCE_MS = 3_000;
const PAUSE_MS = 100;

/** Takes the lock of a home, making its `service/`. Rejects with HomeInUseError. */
export async function lockHome(home: string): Promise<HomeLock> {
  const dir = join(home, "service");
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const lock = tryLock(join(dir, FILE));
    if (lock !== undefined) return lock;
    if (performance.now() > end) {
      throw new HomeInUseError(`another service runs on ${home}: stop it, or name another home`);
    }
    await pause(PAUSE_MS);
  }
}

function tryLock(file: string): HomeLock | undefined {
  // Only a missing file is made: closing any descriptor of it would end a lock that this process holds.
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  const db = new DatabaseSync(file);
  try {
    db.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
    return { release: () => db.close() };
  } catch (error) {
    db.close();
    if (error instanceof Error && /locked|busy/.test(error.message)) return undefined;
    throw error;
  }
}
