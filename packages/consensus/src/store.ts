/**
 * The engine's durable store: one SQLite file (write-ahead log, synchronous=FULL, locked for this process) with blocks,
 * commits, results, validator and parameter history, the transaction index and the state. Owns atomicity: a block is
 * durable before it is signed, and everything a height decides becomes durable in one transaction.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import {
  type BlockId,
  type Commit,
  decodeCommit,
  encodeCommit,
  type Validator,
  validatorsFromJson,
  validatorsToJson,
} from "@cairn/comet";
import { ConsensusError } from "./errors.ts";
import type { SealedBlock } from "./make-block.ts";
import { type FullParams, paramsFromJson, paramsToJson } from "./params.ts";
import { type EngineState, stateFromText, stateToText } from "./state.ts";

/** A stored block without decoding it. */
export interface StoredBlock {
  readonly bytes: Uint8Array;
  readonly id: BlockId;
}

/** All that one height decides. */
export interface Decision {
  readonly sealed: SealedBlock;
  readonly commit: Commit;
  readonly state: EngineState;
  /** {@link packResults} of the response. */
  readonly results: Uint8Array;
  readonly blockResult: string;
  /** SHA-256 of every transaction, in order. */
  readonly txHashes: readonly Uint8Array[];
}

/** Where a transaction may be: candidates, newest first, to be compared with the block's transaction. */
export interface TxCandidate {
  readonly height: bigint;
  readonly index: number;
}

/** The store. Methods throw ConsensusError `storage`. */
export interface BlockStore {
  state(): EngineState | undefined;
  saveState(state: EngineState): void;
  /** Makes a block durable; it is a proposal until decided, and replaces an undecided one of its height. */
  saveProposal(sealed: SealedBlock): void;
  decide(decision: Decision): void;
  block(height: bigint): StoredBlock | undefined;
  heightOf(blockHash: Uint8Array): bigint | undefined;
  commit(height: bigint): Commit | undefined;
  results(height: bigint): Uint8Array | undefined;
  blockResult(height: bigint): string | undefined;
  appHashAfter(height: bigint): Uint8Array | undefined;
  validators(height: bigint): readonly Validator[] | undefined;
  params(height: bigint): FullParams | undefined;
  locateTx(txHash: Uint8Array): readonly TxCandidate[];
  close(): void;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS state (id INTEGER PRIMARY KEY CHECK (id = 0), body TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS blocks (
    height INTEGER PRIMARY KEY, hash BLOB NOT NULL, part_total INTEGER NOT NULL, part_hash BLOB NOT NULL,
    bytes BLOB NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS blocks_by_hash ON blocks (hash);
  CREATE TABLE IF NOT EXISTS decisions (
    height INTEGER PRIMARY KEY, seen_commit BLOB NOT NULL, app_hash BLOB NOT NULL, block_result TEXT NOT NULL,
    results BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS validator_sets (height INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS params (height INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS tx_index (
    prefix INTEGER NOT NULL, height INTEGER NOT NULL, position INTEGER NOT NULL,
    PRIMARY KEY (prefix, height, position)) WITHOUT ROWID, STRICT;
`;

const SQL = {
  state: "SELECT body FROM state WHERE id = 0",
  putState: "INSERT OR REPLACE INTO state VALUES (0, ?)",
  putBlock: "INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?, ?)",
  block: "SELECT bytes, hash, part_total, part_hash FROM blocks WHERE height = ?",
  heightOf: "SELECT height FROM blocks WHERE hash = ?",
  putDecision: "INSERT INTO decisions VALUES (?, ?, ?, ?, ?)",
  commit: "SELECT seen_commit AS body FROM decisions WHERE height = ?",
  results: "SELECT results AS body FROM decisions WHERE height = ?",
  blockResult: "SELECT block_result AS body FROM decisions WHERE height = ?",
  appHash: "SELECT app_hash AS body FROM decisions WHERE height = ?",
  putValidators: "INSERT OR REPLACE INTO validator_sets VALUES (?, ?)",
  validators: "SELECT body FROM validator_sets WHERE height <= ? ORDER BY height DESC LIMIT 1",
  putParams: "INSERT OR REPLACE INTO params VALUES (?, ?)",
  params: "SELECT body FROM params WHERE height <= ? ORDER BY height DESC LIMIT 1",
  putTx: "INSERT INTO tx_index VALUES (?, ?, ?)",
  locateTx: "SELECT height, position FROM tx_index WHERE prefix = ? ORDER BY height DESC, position DESC",
} as const;

/** First 48 bits of a hash: exact as a number, and short in the index. */
function prefixOf(hash: Uint8Array): number {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.length).readUIntBE(0, 6);
}

function guarded<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof ConsensusError) throw error;
    const detail = error instanceof Error ? error.message : "unknown";
    throw new ConsensusError("storage", `the block store failed: ${detail}`, { cause: error });
  }
}

function openDatabase(dataDir: string): DatabaseSync {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const db = new DatabaseSync(join(dataDir, "consensus.sqlite"));
  try {
    db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    db.exec("BEGIN EXCLUSIVE; COMMIT");
    db.exec(SCHEMA);
    return db;
  } catch (error) {
    db.close();
    const isLocked = error instanceof Error && /locked|busy/.test(error.message);
    if (isLocked) throw new ConsensusError("locked", "another process uses this data directory", { cause: error });
    throw error;
  }
}

/** Opens or creates the store in a directory. Throws ConsensusError `locked` or `storage`. */
export function openStore(dataDir: string): BlockStore {
  const db = guarded(() => openDatabase(dataDir));
  const statements = new Map<string, StatementSync>();
  const sql = (text: string): StatementSync => {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const prepared = db.prepare(text);
    statements.set(text, prepared);
    return prepared;
  };
  const get = (text: string, ...args: (bigint | number | Uint8Array)[]) => guarded(() => sql(text).get(...args));
  const blob = (text: string, height: bigint): Uint8Array | undefined => {
    const body = get(text, height)?.body;
    return body instanceof Uint8Array ? body : undefined;
  };
  const text = (query: string, height: bigint): string | undefined => {
    const body = get(query, height)?.body;
    return typeof body === "string" ? body : undefined;
  };
  return {
    ...writers(db, sql),
    state: () => {
      const body = get(SQL.state)?.body;
      return typeof body === "string" ? guarded(() => stateFromText(body)) : undefined;
    },
    block: (height) => storedBlock(get(SQL.block, height)),
    heightOf: (hash) => {
      const height = get(SQL.heightOf, hash)?.height;
      return typeof height === "number" ? BigInt(height) : undefined;
    },
    commit: (height) => {
      const body = blob(SQL.commit, height);
      return body === undefined ? undefined : guarded(() => decodeCommit(body));
    },
    results: (height) => blob(SQL.results, height),
    blockResult: (height) => text(SQL.blockResult, height),
    appHashAfter: (height) => blob(SQL.appHash, height),
    validators: (height) => {
      const body = text(SQL.validators, height);
      return body === undefined ? undefined : validatorsFromJson(JSON.parse(body));
    },
    params: (height) => {
      const body = text(SQL.params, height);
      return body === undefined ? undefined : paramsFromJson(JSON.parse(body));
    },
    locateTx: (hash) =>
      guarded(() => sql(SQL.locateTx).all(prefixOf(hash))).map((row) => ({
        height: BigInt(Number(row.height)),
        index: Number(row.position),
      })),
    close: () => db.close(),
  };
}

function storedBlock(row: Record<string, unknown> | undefined): StoredBlock | undefined {
  const bytes = row?.bytes;
  const hash = row?.hash;
  const partHash = row?.part_hash;
  if (!(bytes instanceof Uint8Array) || !(hash instanceof Uint8Array) || !(partHash instanceof Uint8Array))
    return undefined;
  return { bytes, id: { hash, parts: { total: Number(row?.part_total), hash: partHash } } };
}

type Writers = Pick<BlockStore, "saveState" | "saveProposal" | "decide">;

function writers(db: DatabaseSync, sql: (text: string) => StatementSync): Writers {
  const transaction = (run: () => void): void =>
    guarded(() => {
      db.exec("BEGIN IMMEDIATE");
      try {
        run();
        db.exec("COMMIT");
      } catch (error) {
        if (db.isTransaction) db.exec("ROLLBACK");
        throw error;
      }
    });
  const putHistory = (state: EngineState, before: EngineState | undefined): void => {
    const from = state.lastBlockHeight + 1n;
    const bodies = [state.validators, state.nextValidators].map((set) => JSON.stringify(validatorsToJson(set)));
    const params = JSON.stringify(paramsToJson(state.params));
    if (before === undefined) sql(SQL.putValidators).run(from, bodies[0] ?? "");
    if (bodies[0] !== bodies[1]) sql(SQL.putValidators).run(from + 1n, bodies[1] ?? "");
    if (before === undefined || params !== JSON.stringify(paramsToJson(before.params)))
      sql(SQL.putParams).run(from, params);
  };
  let last: EngineState | undefined;
  return {
    saveState: (state) => {
      transaction(() => {
        sql(SQL.putState).run(stateToText(state));
        putHistory(state, undefined);
      });
      last = state;
    },
    saveProposal: ({ block, bytes, id }) =>
      transaction(() => {
        sql(SQL.putBlock).run(block.header.height, id.hash, id.parts.total, id.parts.hash, bytes);
      }),
    decide: ({ sealed, commit, state, results, blockResult, txHashes }) => {
      const { height } = sealed.block.header;
      transaction(() => {
        sql(SQL.putDecision).run(height, encodeCommit(commit), state.appHash, blockResult, results);
        sql(SQL.putState).run(stateToText(state));
        putHistory(state, last);
        const putTx = sql(SQL.putTx);
        const at = Number(height);
        for (const [index, hash] of txHashes.entries()) putTx.run(prefixOf(hash), at, index);
      });
      last = state;
    },
  };
}
