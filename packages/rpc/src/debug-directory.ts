/**
 * Owns the directory of debug files: the only place that `debug` methods read and write. Names are plain (the method
 * table checks them), links are not followed, files and directory are the owner's alone, their number and size bounded.
 */
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { rpcError } from "@cairn/api";

const MOST_FILES = 10_000;
const MOST_BYTES = 4 * 1024 ** 3;
const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY } = constants;

/** Files of one directory by plain names. Throws `RpcError` for what cannot be read or written. */
export interface DebugDirectory {
  /** The bytes of a file of at most `mostBytes`. */
  read(name: string, mostBytes: number): Promise<Uint8Array>;
  /** An empty file of that name, to be written and closed; one that is there is emptied. */
  create(name: string): Promise<FileHandle>;
  /** Empty files of new names: all, or none. */
  createAll(names: readonly string[]): Promise<void>;
  /** Removes files as far as they are there. */
  removeAll(names: readonly string[]): Promise<void>;
  /** Where a file stands. */
  path(name: string): string;
}

function fault(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return "no such file";
  if (code === "ELOOP") return "it is a link";
  if (code === "EISDIR") return "it is a directory";
  if (code === "EEXIST") return "it exists";
  return code === "ENOSPC" ? "no space left" : "not permitted";
}

async function makeRoom(dir: string, files: number): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const names = await readdir(dir);
  if (names.length + files > MOST_FILES) throw rpcError("debug-directory-full", {});
  let bytes = 0;
  for (const name of names)
    bytes += await stat(join(dir, name)).then(
      ({ size }) => size,
      () => 0,
    );
  if (bytes >= MOST_BYTES) throw rpcError("debug-directory-full", {});
}

async function readBounded(path: string, mostBytes: number): Promise<Uint8Array> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw rpcError("unreadable-file", { fault: "it is no plain file" });
    if (found.size > mostBytes) throw rpcError("unreadable-file", { fault: `longer than ${mostBytes} bytes` });
    const bytes = new Uint8Array(found.size);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function openNew(path: string, flag: number): Promise<FileHandle> {
  try {
    return await open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | flag, 0o600);
  } catch (error) {
    throw rpcError("unwritable-file", { fault: fault(error) });
  }
}

/** The directory at `dir`, made when it is first written to; absent or empty every call answers `no-debug-directory`. */
export function createDebugDirectory(dir: string | undefined): DebugDirectory {
  const path = (name: string): string => {
    if (!dir) throw rpcError("no-debug-directory", {});
    return join(dir, name);
  };
  return {
    path,
    async read(name, mostBytes) {
      try {
        return await readBounded(path(name), mostBytes);
      } catch (error) {
        if (error instanceof Error && "code" in error && typeof error.code === "string") {
          throw rpcError("unreadable-file", { fault: fault(error) });
        }
        throw error;
      }
    },
    async create(name) {
      const file = path(name);
      await makeRoom(dir ?? "", 1);
      return openNew(file, O_TRUNC);
    },
    async createAll(names) {
      const files = names.map(path);
      await makeRoom(dir ?? "", files.length);
      try {
        for (const file of files) await (await openNew(file, O_EXCL)).close();
      } catch (error) {
        await this.removeAll(names);
        throw error;
      }
    },
    async removeAll(names) {
      for (const name of names) await rm(path(name), { force: true });
    },
  };
}
