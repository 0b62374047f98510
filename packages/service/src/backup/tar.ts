/** A plain tar (POSIX ustar) of regular files: what `tar xf` reads. Owns the format; which files is the caller's. */
import { closeSync, openSync, readSync, writeSync } from "node:fs";

const BLOCK = 512;
const CHUNK = 1024 * 1024;

/** A file of an archive: its name there, and where its bytes begin. */
export interface TarEntry {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
}

/** Bytes of a header; names have at most 100 ASCII characters. */
function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, width: number) => value.toString(8).padStart(width - 1, "0");
  block.write(name, 0, 100, "ascii");
  block.write(octal(0o600, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(0, 12), 136);
  block.write("        ", 148);
  block.write("0", 156);
  block.write("ustar\u000000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)}\0 `, 148);
  return block;
}

/** Appends a file's bytes to an open archive. */
export function appendFile(archive: number, name: string, file: string, size: number): void {
  writeSync(archive, header(name, size));
  const source = openSync(file, "r");
  try {
    const chunk = Buffer.alloc(CHUNK);
    for (let left = size; left > 0; ) {
      const read = readSync(source, chunk, 0, Math.min(CHUNK, left), null);
      if (read === 0) throw new RangeError(`${name} became shorter while it was read`);
      writeSync(archive, chunk, 0, read);
      left -= read;
    }
  } finally {
    closeSync(source);
  }
  const rest = size % BLOCK;
  if (rest > 0) writeSync(archive, Buffer.alloc(BLOCK - rest));
}

/** Ends an archive. */
export function endArchive(archive: number): void {
  writeSync(archive, Buffer.alloc(2 * BLOCK));
}

/** The files of an open archive, in order. Throws RangeError for what is no such archive. */
export function listArchive(archive: number): readonly TarEntry[] {
  const entries: TarEntry[] = [];
  const block = Buffer.alloc(BLOCK);
  for (let position = 0; ; ) {
    if (readSync(archive, block, 0, BLOCK, position) !== BLOCK) throw new RangeError("the archive ends too early");
    if (block.every((byte) => byte === 0)) return entries;
    const name = text(block, 0, 100);
    const size = Number.parseInt(text(block, 124, 12), 8);
    if (text(block, 257, 5) !== "ustar" || !Number.isSafeInteger(size) || size < 0) throw new RangeError("no archive");
    entries.push({ name, offset: position + BLOCK, size });
    position += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
}

const text = (block: Buffer, at: number, length: number): string =>
  block
    .toString("ascii", at, at + length)
    .replace(/\0.*$/s, "")
    .trim();

/** Hands a file's bytes over in pieces. */
export function readEntry(archive: number, entry: TarEntry, take: (bytes: Buffer) => void): void {
  const chunk = Buffer.alloc(CHUNK);
  for (let done = 0; done < entry.size; ) {
    const read = readSync(archive, chunk, 0, Math.min(CHUNK, entry.size - done), entry.offset + done);
    if (read === 0) throw new RangeError("the archive ends too early");
    take(chunk.subarray(0, read));
    done += read;
  }
}
