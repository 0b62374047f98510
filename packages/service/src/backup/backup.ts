/**
 * Backing a service up while it runs, and restoring it into an empty home: databases by SQLite's online backup, each
 * consistent in itself, settings and encrypted key files beside them, all with checksums in one archive.
 */
import { createHash, type Hash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { StoreUnavailableError } from "@cairn/aggregator";
import { appendFile, endArchive, listArchive, readEntry, type TarEntry } from "./tar.ts";

/** Why there is no backup, or nothing was restored. */
export type BackupCode =
  | "no-service"
  | "file-exists"
  | "home-in-use"
  | "damaged-backup"
  | "damaged-database"
  /** The disk is full; nothing of it stays. */
  | "no-room";

/** A backup that cannot be made or used; nothing was changed. */
export class BackupError extends Error {
  override readonly name = "BackupError";
  readonly code: BackupCode;
  constructor(code: BackupCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** What an archive holds: SHA-256 by name. */
export interface Manifest {
  readonly version: 1;
  readonly made_at: string;
  readonly files: Readonly<Record<string, string>>;
}

const MANIFEST = "MANIFEST.json";
const MARKER = "service/service.db";
const SCRATCH = ".cairn-restore-";
/** What follows others comes first: a copy that is older in what it points to would point at nothing. */
const DATABASES = ["delivery.db", "accounts.db", "service.db"];
const NAMES = /^(?:config\/service\.toml|service\/[a-z]+\.db|service\/keys\/[\w.-]+\.json)$/;

/** Writes one archive of a home; the service may run. Throws `BackupError`. */
export async function backupService(home: string, file: string): Promise<Manifest> {
  if (existsSync(file)) throw new BackupError("file-exists", `${file} is there already and stays as it is`);
  if (!existsSync(join(home, "service/service.db"))) {
    throw new BackupError("no-service", `${home} holds no service: service/service.db is missing`);
  }
  const scratch = mkdtempSync(join(dirname(file), ".cairn-backup-"));
  try {
    const sources = [...(await copyDatabases(home, scratch)), ...plainFiles(home)];
    const files = Object.fromEntries(sources.map(({ name, path }) => [name, digestOf(path)]));
    const manifest: Manifest = { version: 1, made_at: new Date().toISOString(), files };
    const manifestFile = join(scratch, MANIFEST);
    writeFileSync(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    const partial = join(scratch, "archive");
    writeArchive(partial, [{ name: MANIFEST, path: manifestFile }, ...sources]);
    renameSync(partial, file);
    syncDirectory(dirname(file));
    return manifest;
  } catch (error) {
    throw isFull(error, dirname(file)) ? new BackupError("no-room", `there is no room for ${file}`) : error;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

interface Source {
  readonly name: string;
  readonly path: string;
}

async function copyDatabases(home: string, scratch: string): Promise<readonly Source[]> {
  const copies: Source[] = [];
  for (const database of DATABASES) {
    const original = join(home, "service", database);
    if (!existsSync(original)) continue;
    const path = join(scratch, database);
    const source = new DatabaseSync(original, { readOnly: true, timeout: 10_000 });
    try {
      await backup(source, path);
    } finally {
      source.close();
    }
    checkDatabase(path);
    copies.push({ name: `service/${database}`, path });
  }
  return copies;
}

function plainFiles(home: string): readonly Source[] {
  const keys = join(home, "service/keys");
  const names = existsSync(keys) ? readdirSync(keys).map((name) => `service/keys/${name}`) : [];
  return ["config/service.toml", ...names]
    .filter((name) => NAMES.test(name) && existsSync(join(home, name)))
    .map((name) => ({ name, path: join(home, name) }));
}

function writeArchive(path: string, sources: readonly Source[]): void {
  const archive = openSync(path, "wx", 0o600);
  try {
    for (const { name, path: source } of sources) appendFile(archive, name, source, statSync(source).size);
    endArchive(archive);
    fsyncSync(archive);
  } finally {
    closeSync(archive);
  }
}

function digestOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

/** SQLite's codes for a file that is corrupt, or no database. */
const DAMAGE = new Set([11, 26]);

const primaryCode = (error: unknown): number => {
  const { errcode } = error as { readonly errcode?: unknown };
  return typeof errcode === "number" ? errcode & 0xff : 0;
};

/**
 * Throws `damaged-database` when SQLite finds a fault in a file's structure, `StoreUnavailableError` when the disk or
 * another process keeps it from looking.
 */
export function checkDatabase(path: string): void {
  const database = new DatabaseSync(path, { timeout: 10_000 });
  try {
    const [row] = database.prepare("PRAGMA quick_check(1)").all();
    const answer = String(Object.values(row ?? {})[0]);
    if (answer !== "ok") throw new BackupError("damaged-database", `${path} is damaged: ${answer}`);
  } catch (error) {
    if (error instanceof BackupError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    if (!DAMAGE.has(primaryCode(error))) throw new StoreUnavailableError(`${path} cannot be checked: ${message}`);
    throw new BackupError("damaged-database", `${path} is damaged: ${message}`);
  } finally {
    database.close();
  }
}

/** Restores an archive into a home without a service. Everything is checked before the first file is in place. */
export function restoreService(home: string, file: string): Manifest {
  if (existsSync(join(home, "service/service.db"))) {
    throw new BackupError("home-in-use", `${home} holds a service already: restore into another home`);
  }
  mkdirSync(home, { recursive: true, mode: 0o700 });
  dropStale(home);
  const scratch = mkdtempSync(join(home, SCRATCH));
  try {
    const manifest = unpack(file, scratch);
    for (const name of Object.keys(manifest.files)) if (name.endsWith(".db")) checkDatabase(join(scratch, name));
    markRestored(join(scratch, MARKER), Date.parse(manifest.made_at));
    // A home with `service.db` holds a service: that file comes last, so that a restore that was cut short is repeated.
    const names = Object.keys(manifest.files).filter((name) => name !== MARKER);
    for (const name of [...names, MARKER]) {
      mkdirSync(dirname(join(home, name)), { recursive: true, mode: 0o700 });
      renameSync(join(scratch, name), join(home, name));
      syncDirectory(dirname(join(home, name)));
    }
    return manifest;
  } catch (error) {
    throw isFull(error, home)
      ? new BackupError("no-room", `there is no room in ${home} for what ${file} holds`)
      : error;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** What a restore that was killed left behind. */
function dropStale(home: string): void {
  for (const name of readdirSync(home)) {
    if (name.startsWith(SCRATCH)) rmSync(join(home, name), { recursive: true, force: true });
  }
}

/** A renamed file is there after a loss of power only when its directory is on disk. */
function syncDirectory(directory: string): void {
  const handle = openSync(directory, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** SQLite's codes for a full disk and for a failed read or write, which is what a full disk may look like. */
const [SQLITE_FULL, SQLITE_IOERR] = [13, 10];
/** Less than a database's first page and its journal. */
const NO_ROOM_BYTES = 65_536;

function isFull(error: unknown, directory: string): boolean {
  const { code } = error as { readonly code?: unknown };
  if (code === "ENOSPC" || code === "EDQUOT" || primaryCode(error) === SQLITE_FULL) return true;
  if (!(error instanceof StoreUnavailableError) && primaryCode(error) !== SQLITE_IOERR) return false;
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize < NO_ROOM_BYTES;
}

/** The chain and Bitcoin may have gone on since: the service first learns how far. */
function markRestored(path: string, madeAtMs: number): void {
  const database = new DatabaseSync(path);
  try {
    const set = database.prepare("INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)");
    set.run("backup-made-at", String(madeAtMs));
    set.run("restored", "yes");
  } finally {
    database.close();
  }
}

function unpack(file: string, scratch: string): Manifest {
  const archive = openSync(file, "r");
  try {
    const [first, ...entries] = listArchive(archive);
    if (first?.name !== MANIFEST) throw new BackupError("damaged-backup", `${file} does not begin with ${MANIFEST}`);
    const manifest = readManifest(archive, first);
    for (const entry of entries) {
      const expected = NAMES.test(entry.name) ? manifest.files[entry.name] : undefined;
      if (expected === undefined)
        throw new BackupError("damaged-backup", `${file} holds ${entry.name}, which is not its own`);
      if (copyOut(archive, entry, join(scratch, entry.name)) !== expected) {
        throw new BackupError("damaged-backup", `${file}: ${entry.name} is not what was backed up`);
      }
    }
    const missing = Object.keys(manifest.files).find((name) => !entries.some((entry) => entry.name === name));
    if (missing !== undefined) throw new BackupError("damaged-backup", `${file} lacks ${missing}`);
    return manifest;
  } catch (error) {
    if (error instanceof BackupError || isFull(error, dirname(scratch))) throw error;
    throw new BackupError("damaged-backup", `${file} is no backup: ${error instanceof Error ? error.message : error}`);
  } finally {
    closeSync(archive);
  }
}

function readManifest(archive: number, entry: TarEntry): Manifest {
  const chunks: Buffer[] = [];
  readEntry(archive, entry, (bytes) => chunks.push(Buffer.from(bytes)));
  const manifest = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  if (manifest.version !== 1) throw new RangeError("a version this software does not know");
  return manifest;
}

function copyOut(archive: number, entry: TarEntry, path: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(path, "wx", 0o600);
  const hash: Hash = createHash("sha256");
  try {
    readEntry(archive, entry, (bytes) => {
      hash.update(bytes);
      writeSync(file, bytes);
    });
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return hash.digest("hex");
}
