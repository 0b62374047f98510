/**
 * Owns the directory of debug files: the only place that `debug` methods read and write. Names are plain (the method
 * table checks them), links are not followed, files and directory are the owner's alone, their number and size bounded.
 */
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { rpcError } from "@cairn/api";

const MOST_FILES = 10_000;
const MOST_BYTES = 4 * 1024 ** 3;
const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY } = constants;

/** Files of one directory by plain names. Throws `RpcError` for what cannot be read or written. */
export interface DebugDirectory {
  /** The bytes of a file of at most `mostBytes`. */
  read(name: string, mostBytes: number): Promise<Uint8Array>;
  /** An empty file of that name, to be written and closed; `exclusive`: only when there is none yet. */
  create(name: string, exclusive?: boolean): Promise<FileHandle>;
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

async function checkRoom(dir: string): Promise<void> {
  const names = await readdir(dir);
  if (names.length >= MOST_FILES) throw rpcError("debug-directory-full", {});
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
    async create(name, exclusive = false) {
      const file = path(name);
      await mkdir(dir ?? "", { recursive: true, mode: 0o700 });
      await checkRoom(dir ?? "");
      try {
        return await open(file, O_WRONLY | O_CREAT | (exclusive ? O_EXCL : O_TRUNC) | O_NOFOLLOW, 0o600);
      } catch (error) {
        throw rpcError("unwritable-file", { fault: fault(error) });
      }
    },
  };
}
