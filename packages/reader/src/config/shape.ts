/** Option `shape`: how to read a method that is in no family, as a row of the families' table. */
import type { FamilyRow, ValueRow } from "../families/family.ts";
import { HASH_SPELLINGS, type Json } from "../foreign-block.ts";
import { isPointer } from "../json-pointer.ts";
import { ReaderConfigError } from "./config-error.ts";
import { readTable, readWord } from "./field.ts";

const MEMBERS = ["params", "hash", "number", "parent", "encoding", "head"];
const HEAD_MEMBERS = ["method", "params", "number"];
const HEIGHT_WORDS = /\{(number|decimal|hex)\}/;

/**
 * A row from `{params, hash, number, parent, encoding, head}`. `params` holds `{number}`, `{decimal}` or `{hex}` where
 * the height goes, and then `head` = `{method, params, number}` tells the newest one. Without such a word the method
 * only gives the newest block, and what comes between two polls is missed.
 */
export function readShape(value: unknown, method: string, field: string): FamilyRow | undefined {
  const shape = readTable(value, MEMBERS, field);
  if (shape === undefined) return undefined;
  const params = readParams(shape.params, `${field}.params`);
  const number = readPointer(shape.number, `${field}.number`);
  const call = { transport: "rpc", method, params } as const;
  const headOnly = !HEIGHT_WORDS.test(JSON.stringify(params));
  return {
    name: "shape",
    title: method,
    methods: [method],
    head: headOnly ? { ...call, at: number } : readHead(shape.head, `${field}.head`),
    tags: {},
    block: call,
    hash: readPointer(shape.hash, `${field}.hash`),
    spelling: readWord(shape.encoding, HASH_SPELLINGS, "hex", `${field}.encoding`),
    number,
    parent: shape.parent === undefined ? undefined : readPointer(shape.parent, `${field}.parent`),
    identity: {},
    hashRule: "as answered",
    headOnly,
  };
}

function readHead(value: unknown, field: string): ValueRow {
  const head = readTable(value, HEAD_MEMBERS, field);
  if (head === undefined) {
    throw new ReaderConfigError(field, "expected { method, params, number }: where the newest height comes from");
  }
  if (typeof head.method !== "string" || !/^[\w./-]{1,128}$/.test(head.method)) {
    throw new ReaderConfigError(`${field}.method`, "expected a method's name");
  }
  const params = readParams(head.params, `${field}.params`);
  return { transport: "rpc", method: head.method, params, at: readPointer(head.number ?? "", `${field}.number`) };
}

function readPointer(value: unknown, field: string): string {
  if (typeof value !== "string" || !isPointer(value)) {
    throw new ReaderConfigError(field, 'expected a JSON pointer such as "/block/hash"');
  }
  return value;
}

function readParams(value: unknown, field: string): Json {
  if (value === undefined) return [];
  const text = typeof value === "object" && value !== null ? JSON.stringify(value) : "";
  if (text === "" || text.length > 4_096) throw new ReaderConfigError(field, "expected a list or table of parameters");
  return JSON.parse(text);
}
