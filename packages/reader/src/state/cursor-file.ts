/**
 * How far an entry has come, in `block_numbers/` (specification: proof-service, "Persistence"): `<chain>-block.txt` for
 * blocks; `<chain>-merkle-block.txt` and `<chain>-merkle-hash.txt` (the last root) for events.
 */
import { join } from "node:path";
import { EntryStopped } from "../block-source.ts";
import { readTextFile, writeTextFile } from "./durable-text.ts";

/** The file with the height last processed. */
export interface CursorFile {
  /** The height last processed; `undefined` before the first. Throws EntryStopped on a damaged file. */
  read(): bigint | undefined;
  write(height: bigint): void;
}

/** The same of a contract entry, with the root last taken. */
export interface MerkleCursorFile extends CursorFile {
  /** The last root taken; written before the height, so that a crash repeats rather than skips. */
  writeRoot(root: string): void;
}

/** The cursor of an entry that reads blocks. */
export function createCursorFile(dir: string, chain: string): CursorFile {
  return cursorAt(dir, `${chain}-block.txt`);
}

/** The cursor of an entry that reads events. */
export function createMerkleCursorFile(dir: string, chain: string): MerkleCursorFile {
  const heights = cursorAt(dir, `${chain}-merkle-block.txt`);
  const name = `${chain}-merkle-hash.txt`;
  return {
    read() {
      const root = readTextFile(join(dir, name));
      if (root !== undefined && !/^0x([0-9a-fA-F]{2}){1,64}\n?$/.test(root)) throw damaged(name, "one 0x-hex value");
      return heights.read();
    },
    write: heights.write,
    writeRoot: (root) => writeTextFile(join(dir, name), `${root}\n`),
  };
}

function cursorAt(dir: string, name: string): CursorFile {
  const path = join(dir, name);
  return {
    read() {
      const text = readTextFile(path);
      if (text === undefined) return undefined;
      if (!/^\d{1,20}\n?$/.test(text)) throw damaged(name, "one decimal number");
      return BigInt(text.trim());
    },
    write: (height) => writeTextFile(path, `${height}\n`),
  };
}

function damaged(name: string, expected: string): EntryStopped {
  return new EntryStopped(`${name} is damaged: expected ${expected}; mend or remove it, then send SIGHUP`);
}
