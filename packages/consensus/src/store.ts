/**
 * The engine's durable store: blocks, commits, results, validator and parameter history, the transaction index and the
 * state. Owns atomicity: a block is durable before it is signed, and everything a height decides becomes durable in
 * one transaction.
 */
import {
  type BlockId,
  type Commit,
  decodeCommit,
  encodeCommit,
  type Validator,
  validatorsFromJson,
  validatorsToJson,
} from "@cairn/comet";
import { type Database, guarded, openDatabase, type Sql, type SqlValue } from "./database.ts";
import type { SealedBlock } from "./make-block.ts";
import { type FullParams, paramsFromJson, paramsToJson } from "./params.ts";
import { packResults } from "./results.ts";
import { type EngineState, stateFromText, stateToText } from "./state.ts";
import {
  indexKeys,
  indexTxs,
  type KeyRange,
  locateKey,
  locateTx,
  TX_INDEX_SCHEMA,
  type TxCandidate,
} from "./tx-index.ts";

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
  /** Packed results of the transactions. */
  readonly results: Uint8Array;
  /** JSON text of what the response says beside its transactions. */
  readonly blockResult: string;
  /** Keys of each transaction; none by default. */
  readonly txKeys?: readonly (readonly string[])[];
}

/** What can be read of the chain. A height above the last decided one may hold an undecided proposal. */
export interface BlockReads {
  state(): EngineState | undefined;
  block(height: bigint): StoredBlock | undefined;
  heightOf(blockHash: Uint8Array): bigint | undefined;
  commit(height: bigint): Commit | undefined;
  results(height: bigint): Uint8Array | undefined;
  blockResult(height: bigint): string | undefined;
  appHashAfter(height: bigint): Uint8Array | undefined;
  /** The set that signs a height, up to two above the last decided one. */
  validators(height: bigint): readonly Validator[] | undefined;
  params(height: bigint): FullParams | undefined;
  locateTx(txHash: Uint8Array): readonly TxCandidate[];
  locateKey(key: string, range: KeyRange): readonly TxCandidate[];
  /** Heights that have transactions, in a range (inclusive), in order or against it, up to a limit. */
  busyHeights(range: Omit<KeyRange, "after">): readonly bigint[];
}

/** The store. Methods throw ConsensusError `storage`. */
export interface BlockStore extends BlockReads {
  saveState(state: EngineState): void;
  /** Makes a block durable; it is a proposal until decided, and replaces an undecided one of its height. */
  saveProposal(sealed: SealedBlock): void;
  decide(decision: Decision): void;
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
  ${TX_INDEX_SCHEMA}
`;

const PUT_STATE = "INSERT OR REPLACE INTO state VALUES (0, ?)";
const PUT_BLOCK = "INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?, ?)";
const PUT_DECISION = "INSERT INTO decisions VALUES (?, ?, ?, ?, ?)";
const PUT_VALIDATORS = "INSERT OR REPLACE INTO validator_sets VALUES (?, ?)";
const PUT_PARAMS = "INSERT OR REPLACE INTO params VALUES (?, ?)";
const NO_RESULTS = packResults([]);
const AT_HEIGHT = "FROM decisions WHERE height = ?";
const IN_FORCE = "WHERE height <= ? ORDER BY height DESC LIMIT 1";

function storedBlock(row: Readonly<Record<string, unknown>> | undefined): StoredBlock | undefined {
  if (row === undefined) return undefined;
  const { bytes, hash, part_total: total, part_hash: partHash } = row;
  const areBytes = bytes instanceof Uint8Array && hash instanceof Uint8Array && partHash instanceof Uint8Array;
  return areBytes ? { bytes, id: { hash, parts: { total: Number(total), hash: partHash } } } : undefined;
}

function createReads(db: Database): BlockReads {
  const body = (text: string, ...values: SqlValue[]): unknown => db.row(text, ...values)?.body;
  const blob = (text: string, height: bigint): Uint8Array | undefined => {
    const value = body(text, height);
    return value instanceof Uint8Array ? value : undefined;
  };
  const parsed = <T>(read: (text: string) => T, text: string, ...values: SqlValue[]): T | undefined => {
    const value = body(text, ...values);
    return typeof value === "string" ? guarded(() => read(value)) : undefined;
  };
  return {
    state: () => parsed(stateFromText, "SELECT body FROM state WHERE id = 0"),
    block: (height) => storedBlock(db.row("SELECT * FROM blocks WHERE height = ?", height)),
    heightOf: (hash) => {
      const height = body("SELECT height AS body FROM blocks WHERE hash = ?", hash);
      return typeof height === "number" ? BigInt(height) : undefined;
    },
    commit: (height) => {
      const value = blob(`SELECT seen_commit AS body ${AT_HEIGHT}`, height);
      return value === undefined ? undefined : guarded(() => decodeCommit(value));
    },
    results: (height) => blob(`SELECT results AS body ${AT_HEIGHT}`, height),
    blockResult: (height) => parsed((text) => text, `SELECT block_result AS body ${AT_HEIGHT}`, height),
    appHashAfter: (height) => blob(`SELECT app_hash AS body ${AT_HEIGHT}`, height),
    validators: (height) =>
      parsed((text) => validatorsFromJson(JSON.parse(text)), `SELECT body FROM validator_sets ${IN_FORCE}`, height),
    params: (height) =>
      parsed((text) => paramsFromJson(JSON.parse(text)), `SELECT body FROM params ${IN_FORCE}`, height),
    locateTx: (hash) => locateTx(db, hash),
    locateKey: (key, range) => locateKey(db, key, range),
    busyHeights: ({ from, to, isDescending, limit }) => {
      const order = isDescending ? "DESC" : "ASC";
      const text = `SELECT height FROM decisions WHERE height BETWEEN ? AND ? AND length(results) > ?
        ORDER BY height ${order} LIMIT ?`;
      return db.rows(text, from, to, NO_RESULTS.length, limit).map((row) => BigInt(Number(row.height)));
    },
  };
}

/** Sets and parameters are kept from the height on at which they change. */
function putHistory(sql: Sql, state: EngineState, before: EngineState | undefined): void {
  const from = state.lastBlockHeight + 1n;
  const set = JSON.stringify(validatorsToJson(state.validators));
  const nextSet = JSON.stringify(validatorsToJson(state.nextValidators));
  const params = JSON.stringify(paramsToJson(state.params));
  if (before === undefined) sql(PUT_VALIDATORS).run(from, set);
  if (set !== nextSet) sql(PUT_VALIDATORS).run(from + 1n, nextSet);
  const isChanged = before === undefined || params !== JSON.stringify(paramsToJson(before.params));
  if (isChanged) sql(PUT_PARAMS).run(from, params);
}

/** Opens or creates the store in a directory. Throws ConsensusError `locked` or `storage`. */
export function openStore(dataDir: string): BlockStore {
  const db = openDatabase(dataDir, SCHEMA);
  let last: EngineState | undefined;
  return {
    ...createReads(db),
    saveState: (state) => {
      db.transaction((sql) => {
        sql(PUT_STATE).run(stateToText(state));
        putHistory(sql, state, undefined);
      });
      last = state;
    },
    saveProposal: ({ block, bytes, id }) =>
      db.transaction((sql) => {
        sql(PUT_BLOCK).run(block.header.height, id.hash, id.parts.total, id.parts.hash, bytes);
      }),
    decide: ({ sealed, commit, state, results, blockResult, txKeys = [] }) => {
      const { height } = sealed.block.header;
      db.transaction((sql) => {
        sql(PUT_DECISION).run(height, encodeCommit(commit), state.appHash, blockResult, results);
        sql(PUT_STATE).run(stateToText(state));
        putHistory(sql, state, last);
        indexTxs(sql, height, sealed.txHashes);
        indexKeys(sql, height, txKeys);
      });
      last = state;
    },
    close: () => db.close(),
  };
}
