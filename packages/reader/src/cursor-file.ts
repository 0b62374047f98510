/**
 * The last processed height of a chain: `<chain>-block.txt` in `block_numbers/`, a decimal number (specification:
 * proof-service, "Persistence"). Written to a temporary file, synced and renamed, so a crash leaves the old or the new.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { EntryStopped } from "./evm-source.ts";

export interface CursorFile {
  /** The height last processed; `undefined` before the first. Throws EntryStopped on a damaged file. */
  read(): bigint | undefined;
  write(height: bigint): void;
}

/** The cursor of one chain. */
export function createCursorFile(dir: string, chain: string): CursorFile {
  const path = join(dir, `${chain}-block.txt`);
  return {
    read() {
      const text = readIfPresent(path);
      if (text === undefined) return undefined;
      if (!/^\d{1,20}\n?$/.test(text)) {
        throw new EntryStopped(`${chain}-block.txt is damaged: expected one decimal number; mend or remove it`);
      }
      return BigInt(text.trim());
    },
    write(height) {
      mkdirSync(dir, { recursive: true });
      const temporary = `${path}.tmp`;
      const file = openSync(temporary, "w", 0o644);
      try {
        writeSync(file, `${height}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(temporary, path);
      syncDir(dirname(path));
    },
  };
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function syncDir(dir: string): void {
  const folder = openSync(dir, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
