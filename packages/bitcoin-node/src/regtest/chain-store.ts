/**
 * Rows of the embedded node: blocks, the active chain, coins, confirmed transactions, mempool. Owns SQL and nothing
 * else; rules live in `rules.ts`, `chain.ts` and `mempool.ts`. Hashes are in internal order.
 */
import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import { type BitcoinBlock, headerHash, isCoinbase, parseBlock, serializeBlock, transactionId } from "@cairn/bitcoin";

/** A stored block's row. `invalid` holds for the block and, by construction, for all that follow it. */
export interface BlockRow {
  readonly hash: Uint8Array;
  readonly parent: Uint8Array;
  readonly height: number;
  readonly time: number;
  readonly invalid: boolean;
}

/** An unspent output with where it came from. */
export interface CoinRow {
  readonly valueSat: bigint;
  readonly script: Uint8Array;
  readonly height: number;
  readonly coinbase: boolean;
}

/** Prepared statements behind plain functions. */
export type ChainStore = ReturnType<typeof createChainStore>;

const COLUMNS = "hash, parent, height, time, invalid";

/** Prepares the statements. */
export function createChainStore(database: DatabaseSync) {
  const sql = (text: string): StatementSync => database.prepare(text);
  return { ...blockRows(sql), ...activeRows(sql), ...coinRows(sql), ...mempoolRows(sql), ...metaRows(sql) };
}

type Sql = (text: string) => StatementSync;

function blockRows(sql: Sql) {
  const insert = sql("INSERT INTO block(hash, parent, height, time, invalid, raw) VALUES(?, ?, ?, ?, ?, ?)");
  const byHash = sql(`SELECT ${COLUMNS} FROM block WHERE hash = ?`);
  const raw = sql("SELECT raw FROM block WHERE hash = ?");
  const best = sql(`SELECT ${COLUMNS} FROM block WHERE invalid = 0 ORDER BY height DESC, seq ASC LIMIT 1`);
  const children = sql(`SELECT ${COLUMNS} FROM block WHERE parent = ?`);
  const mark = sql("UPDATE block SET invalid = ? WHERE hash = ?");
  return {
    insertBlock(block: BitcoinBlock, height: number, invalid: boolean): void {
      const { header } = block;
      insert.run(headerHash(header), header.previous, height, header.time, invalid ? 1 : 0, serializeBlock(block));
    },
    block: (hash: Uint8Array) => optional(byHash.get(hash), toBlockRow),
    rawBlock: (hash: Uint8Array) => optional(raw.get(hash), (row) => bytes(row.raw)),
    bestCandidate: () => optional(best.get(), toBlockRow),
    children: (hash: Uint8Array) => children.all(hash).map(toBlockRow),
    markInvalid: (hash: Uint8Array, invalid: boolean) => void mark.run(invalid ? 1 : 0, hash),
  };
}

function activeRows(sql: Sql) {
  const tip = sql("SELECT height, hash FROM active ORDER BY height DESC LIMIT 1");
  const at = sql("SELECT hash FROM active WHERE height = ?");
  const push = sql("INSERT INTO active(height, hash) VALUES(?, ?)");
  const pop = sql("DELETE FROM active WHERE height = ?");
  const confirm = sql("INSERT INTO confirmed(txid, height, position) VALUES(?, ?, ?)");
  const located = sql("SELECT height, position FROM confirmed WHERE txid = ?");
  const forget = sql("DELETE FROM confirmed WHERE height = ?");
  return {
    tip: () => optional(tip.get(), (row) => ({ height: Number(row.height), hash: bytes(row.hash) })),
    activeHash: (height: number) => optional(at.get(height), (row) => bytes(row.hash)),
    pushActive(block: BitcoinBlock, height: number): void {
      push.run(height, headerHash(block.header));
      for (const [position, tx] of block.transactions.entries()) confirm.run(transactionId(tx), height, position);
    },
    popActive(height: number): void {
      pop.run(height);
      forget.run(height);
    },
    confirmed: (txid: Uint8Array) =>
      optional(located.get(txid), (row) => ({ height: Number(row.height), position: Number(row.position) })),
  };
}

function coinRows(sql: Sql) {
  const add = sql("INSERT INTO coin(txid, vout, value, script, height, coinbase) VALUES(?, ?, ?, ?, ?, ?)");
  const get = sql(
    "SELECT value, script, height, coinbase FROM coin WHERE txid = ? AND vout = ? AND spent_height IS NULL",
  );
  const spend = sql("UPDATE coin SET spent_height = ? WHERE txid = ? AND vout = ? AND spent_height IS NULL");
  const unspend = sql("UPDATE coin SET spent_height = NULL WHERE spent_height = ?");
  const drop = sql("DELETE FROM coin WHERE height = ?");
  const owned = sql(
    "SELECT txid, vout, value FROM coin WHERE script = ? AND spent_height IS NULL AND (coinbase = 0 OR height <= ?) ORDER BY value DESC LIMIT ?",
  );
  return {
    coin: (txid: Uint8Array, vout: number) => optional(get.get(txid, vout), toCoinRow),
    /** Creates the block's outputs and spends its inputs, in order. Unspendable outputs make no coin. */
    applyCoins(block: BitcoinBlock, height: number): void {
      for (const tx of block.transactions) {
        const coinbase = isCoinbase(tx);
        if (!coinbase) for (const input of tx.inputs) spend.run(height, input.txid, input.vout);
        const txid = transactionId(tx);
        for (const [vout, output] of tx.outputs.entries()) {
          if (output.scriptPubKey[0] === 0x6a || height === 0) continue;
          add.run(txid, vout, output.valueSat, output.scriptPubKey, height, coinbase ? 1 : 0);
        }
      }
    },
    revertCoins(height: number): void {
      drop.run(height);
      unspend.run(height);
    },
    /** Richest first; coinbases only up to `matureHeight`. */
    coinsOf: (script: Uint8Array, matureHeight: number, limit: number) =>
      owned.all(script, matureHeight, limit).map((row) => ({
        txid: bytes(row.txid),
        vout: Number(row.vout),
        valueSat: BigInt(Number(row.value)),
      })),
  };
}

function mempoolRows(sql: Sql) {
  const all = sql("SELECT time, raw FROM mempool ORDER BY seq");
  const add = sql("INSERT INTO mempool(txid, time, raw) VALUES(?, ?, ?)");
  const remove = sql("DELETE FROM mempool WHERE txid = ?");
  return {
    storedMempool: () => all.all().map((row) => ({ time: Number(row.time), raw: bytes(row.raw) })),
    storeMempool: (txid: Uint8Array, time: number, raw: Uint8Array) => void add.run(txid, time, raw),
    unstoreMempool: (txid: Uint8Array) => void remove.run(txid),
  };
}

function metaRows(sql: Sql) {
  const get = sql("SELECT value FROM meta WHERE name = ?");
  const set = sql("INSERT INTO meta(name, value) VALUES(?, ?)");
  return {
    meta: (name: string) => optional(get.get(name), (row) => bytes(row.value)),
    setMeta: (name: string, value: Uint8Array) => void set.run(name, value),
  };
}

/** The parsed block of a hash. */
export function storedBlock(store: ChainStore, hash: Uint8Array): BitcoinBlock | undefined {
  const raw = store.rawBlock(hash);
  return raw === undefined ? undefined : parseBlock(raw);
}

type Row = Record<string, SQLOutputValue>;

function optional<T>(row: Row | undefined, map: (row: Row) => T): T | undefined {
  return row === undefined ? undefined : map(row);
}

function bytes(value: SQLOutputValue | undefined): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new TypeError("expected a blob column");
  return value;
}

function toBlockRow(row: Row): BlockRow {
  return {
    hash: bytes(row.hash),
    parent: bytes(row.parent),
    height: Number(row.height),
    time: Number(row.time),
    invalid: row.invalid !== 0,
  };
}

function toCoinRow(row: Row): CoinRow {
  return {
    valueSat: BigInt(Number(row.value)),
    script: bytes(row.script),
    height: Number(row.height),
    coinbase: row.coinbase !== 0,
  };
}
