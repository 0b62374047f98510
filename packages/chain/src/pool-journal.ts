/**
 * Owns the file that carries the pool over a restart. Accepted transactions are appended before their submitters are
 * answered, so they survive the end of the process; the disk is asked to hold them (`fdatasync`) at most a second
 * later, so a power loss may take the last second, which is no loss of anything committed. When the file has doubled
 * it is rewritten with what is still pooled. A file that cannot be written does not stop the pool: it is tried again.
 *
 *   writing --append-->                       writing
 *   writing --twice its size at last rewrite--> rewriting (appends go to both files)
 *   rewriting --new file durable and renamed--> writing
 *   writing, rewriting --I/O error-->          broken    (appends are skipped, logged once)
 *   broken  --retry interval-->                rewriting
 */
import { type FileHandle, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { decodeFrames, encodeFrames, JOURNAL_MAGIC } from "./journal-frame.ts";
import type { Log } from "./log.ts";

/** Where a journal stands and what it is rewritten with. */
export interface JournalOptions {
  readonly file: string;
  /** The transactions pooled now. */
  readonly live: () => readonly Uint8Array[];
  readonly log: Log;
  /** Smallest size at which the file is rewritten, in bytes. */
  readonly rewriteFromBytes?: number;
}

/** An open journal. */
export interface PoolJournal {
  /** Resolves when the system has the bytes. Never rejects. */
  append(raws: readonly Uint8Array[]): Promise<void>;
  /** Makes durable what was appended and closes the file. */
  close(): Promise<void>;
}

const REWRITE_FROM_BYTES = 1024 * 1024;
const SYNC_INTERVAL_MS = 1_000;
const CHUNK_BYTES = 1024 * 1024;

/** The transactions of a journal in portions; nothing when there is no such file, and up to the first damage. */
export async function* readJournal(file: string): AsyncGenerator<readonly Uint8Array[]> {
  let handle: FileHandle;
  try {
    handle = await open(file, "r");
  } catch {
    return;
  }
  try {
    let rest: Buffer = Buffer.alloc(0);
    let isStart = true;
    for await (const chunk of handle.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false })) {
      rest = Buffer.concat([rest, chunk as Buffer]);
      if (isStart && rest.length < JOURNAL_MAGIC.length) continue;
      if (isStart && !rest.subarray(0, JOURNAL_MAGIC.length).equals(JOURNAL_MAGIC)) return;
      const { raws, used, damaged } = decodeFrames(isStart ? rest.subarray(JOURNAL_MAGIC.length) : rest);
      rest = rest.subarray(isStart ? used + JOURNAL_MAGIC.length : used);
      isStart = false;
      if (raws.length > 0) yield raws;
      if (damaged) return;
    }
  } finally {
    await handle.close();
  }
}

/** A file being written, with its length in bytes. */
interface Target {
  readonly handle: FileHandle;
  length: number;
}

async function write(target: Target, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await target.handle.write(bytes, at);
    at += bytesWritten;
  }
  target.length += bytes.length;
}

/** Writes transactions to a file beside the journal; durable when it resolves. */
async function writeBeside(file: string, raws: readonly Uint8Array[]): Promise<Target> {
  const target: Target = { handle: await open(`${file}.new`, "w", 0o600), length: 0 };
  try {
    await write(target, JOURNAL_MAGIC);
    for (let at = 0; at < raws.length; at += 1_000) await write(target, encodeFrames(raws.slice(at, at + 1_000)));
    await target.handle.datasync();
    return target;
  } catch (error) {
    await target.handle.close();
    throw error;
  }
}

async function putInPlace(file: string): Promise<void> {
  await rename(`${file}.new`, file);
  const directory = await open(dirname(file), "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Starts a new journal in place of what stood there. */
export async function openJournal(options: JournalOptions): Promise<PoolJournal> {
  const journal = new JournalFile(options);
  await journal.rewrite();
  return journal;
}

class JournalFile implements PoolJournal {
  readonly #options: JournalOptions;
  readonly #timer: NodeJS.Timeout;
  /** Writes one after the other. */
  #turn: Promise<void> = Promise.resolve();
  #target: Target | undefined;
  #rewriteAt = 0;
  /** What was appended while a rewrite is under way. */
  #since: Uint8Array[] | undefined;
  #rewriting: Promise<void> | undefined;
  #dirty = false;
  #isBroken = false;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#tick(), SYNC_INTERVAL_MS);
    this.#timer.unref();
  }

  append(raws: readonly Uint8Array[]): Promise<void> {
    if (raws.length === 0) return Promise.resolve();
    const frames = encodeFrames(raws);
    return this.#next(async () => {
      // In its turn: the replacement of the file is a turn of its own, so it has these frames from here or gets them.
      this.#since?.push(frames);
      if (this.#target === undefined) return;
      await write(this.#target, frames);
      this.#dirty = true;
      if (this.#target.length >= this.#rewriteAt) void this.rewrite();
    });
  }

  /** Writes the file anew with what is pooled. Never rejects. */
  rewrite(): Promise<void> {
    this.#rewriting ??= this.#rewrite().finally(() => {
      this.#rewriting = undefined;
    });
    return this.#rewriting;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#rewriting;
    await this.#next(async () => {
      const target = this.#target;
      this.#target = undefined;
      await target?.handle.datasync();
      await target?.handle.close();
    });
  }

  async #rewrite(): Promise<void> {
    const { file, live } = this.#options;
    this.#since = [];
    try {
      const fresh = await writeBeside(file, live());
      await this.#next(() => this.#replaceBy(fresh));
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#since = undefined;
    }
  }

  async #replaceBy(fresh: Target): Promise<void> {
    const { file, rewriteFromBytes = REWRITE_FROM_BYTES } = this.#options;
    const liveBytes = fresh.length;
    try {
      for (const frames of this.#since ?? []) await write(fresh, frames);
      this.#since = undefined;
      await putInPlace(file);
    } catch (error) {
      await fresh.handle.close();
      throw error;
    }
    const old = this.#target;
    this.#target = fresh;
    this.#isBroken = false;
    this.#rewriteAt = Math.max(rewriteFromBytes, 2 * liveBytes);
    await old?.handle.close();
  }

  #tick(): void {
    if (this.#target === undefined) {
      void this.rewrite();
      return;
    }
    if (!this.#dirty) return;
    this.#dirty = false;
    void this.#next(async () => this.#target?.handle.datasync());
  }

  #next(step: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(step).catch((error: unknown) => this.#fail(error));
    return this.#turn;
  }

  #fail(error: unknown): void {
    if (!this.#isBroken) {
      this.#options.log.error({ err: error }, "the pool's journal cannot be written; trying again");
    }
    this.#isBroken = true;
    const broken = this.#target;
    this.#target = undefined;
    broken?.handle.close().catch(() => undefined);
  }
}
