/**
 * Owns the directory of key files: which accounts it holds, reading one, adding one. Geth's own names and modes, so
 * that either program works on the other's directory; software wallets stand in the subdirectory `soft`.
 */
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Address } from "@cairn/primitives";
import type { Clock } from "./clock.ts";
import { type KeyFile, parseKeyFile } from "./key-file.ts";
import { KeystoreError } from "./keystore-error.ts";

/** One key file. */
export interface StoredKey {
  /** In lower case. */
  readonly address: Address;
  /** Name of the file inside the directory. */
  readonly file: string;
  /** Name of the software wallet it belongs to. */
  readonly wallet?: string;
}

/** The key files below one directory. */
export interface KeyDirectory {
  /** All key files by name. What is no key file is passed over. */
  list(): Promise<readonly StoredKey[]>;
  /** Throws `KeystoreError` `invalid-key-file` when it is gone or damaged. */
  read(stored: StoredKey): Promise<KeyFile>;
  /** Adds a file: written beside its place, checked as it stands on the disk, then moved. */
  add(text: string, o: { readonly wallet?: string; check(file: KeyFile): Promise<void> }): Promise<void>;
}

const SOFT = "soft";
const MAX_FILES = 10_000;
const MAX_FILE_BYTES = 65_536;
/** Files that others drop in are seen after at most this time. */
const RESCAN_MS = 1000;

type Seen = ReadonlyMap<string, { readonly version: string; readonly stored: StoredKey | undefined }>;

/** Opens a directory, making it with mode 0700 where it is missing. */
export async function openKeyDirectory(dir: string, clock: Clock): Promise<KeyDirectory> {
  await mkdir(join(dir, SOFT), { recursive: true, mode: 0o700 });
  // A promise, so that whoever asks during a scan waits for it.
  let seen: Promise<Seen> = Promise.resolve(new Map());
  let scannedMs = Number.NEGATIVE_INFINITY;
  return {
    async list() {
      if (clock.monotonicMs() - scannedMs >= RESCAN_MS) {
        scannedMs = clock.monotonicMs();
        seen = seen.catch((): Seen => new Map()).then((before) => scan(dir, before));
      }
      return [...(await seen).values()].flatMap(({ stored }) => (stored === undefined ? [] : [stored]));
    },
    async read({ file }) {
      return parseKeyFile(await readSmallFile(join(dir, file)));
    },
    async add(text, { wallet, check }) {
      const { address = "0x" } = parseKeyFile(text);
      const name = wallet === undefined ? keyFileName(clock.date(), address) : join(SOFT, `${wallet}.json`);
      await writeChecked(join(dir, name), text, check);
      scannedMs = Number.NEGATIVE_INFINITY;
    },
  };
}

/** `UTC--<time with nanoseconds>--<address without 0x>`. */
function keyFileName(date: Date, address: Address): string {
  const time = date.toISOString().replaceAll(":", "-").replace("Z", "000000Z");
  return `UTC--${time}--${address.slice(2)}`;
}

async function writeChecked(path: string, text: string, check: (file: KeyFile) => Promise<void>): Promise<void> {
  const partial = join(dirname(path), `.${basename(path)}.tmp`);
  try {
    const file = await open(partial, "w", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await check(parseKeyFile(await readSmallFile(partial)));
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  const directory = await open(dirname(path), "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

async function scan(dir: string, before: Seen): Promise<Seen> {
  const plain = await readdir(dir);
  const soft = await readdir(join(dir, SOFT));
  const names = [...plain, ...soft.filter((name) => name.endsWith(".json")).map((name) => join(SOFT, name))]
    .filter((name) => !basename(name).startsWith(".") && !name.endsWith("~"))
    .sort();
  const seen = new Map<string, { readonly version: string; readonly stored: StoredKey | undefined }>();
  for (const name of names.slice(0, MAX_FILES)) {
    const facts = await stat(join(dir, name)).catch(() => undefined);
    if (facts === undefined || !facts.isFile()) continue;
    const version = `${facts.mtimeMs} ${facts.size}`;
    const known = before.get(name);
    seen.set(name, known?.version === version ? known : { version, stored: await identify(dir, name) });
  }
  return seen;
}

async function identify(dir: string, name: string): Promise<StoredKey | undefined> {
  try {
    const { address } = parseKeyFile(await readSmallFile(join(dir, name)));
    if (address === undefined) return undefined;
    if (dirname(name) !== SOFT) return { address, file: name };
    return { address, file: name, wallet: basename(name, ".json") };
  } catch (error) {
    if (error instanceof KeystoreError) return undefined;
    throw error;
  }
}

async function readSmallFile(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size <= MAX_FILE_BYTES) return await readFile(path, "utf8");
  } catch {
    throw new KeystoreError("invalid-key-file", "the key file cannot be read");
  }
  throw new KeystoreError("invalid-key-file", "the key file is too large");
}
