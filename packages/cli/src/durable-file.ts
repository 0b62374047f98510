/** Small files that must be whole or absent: written aside, synced, renamed. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Replaces a file; `mode` defaults to readable by its owner only. */
export function writeDurableFile(path: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.tmp-${process.pid}`;
  const file = openSync(temporary, "w", mode);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}

/** The text of a file that is made at its first reading. */
export function readOrCreate(path: string, create: () => string): string {
  if (!existsSync(path)) writeDurableFile(path, `${create()}\n`);
  return readFileSync(path, "utf8").trim();
}
