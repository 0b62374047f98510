/** Reads a family's rows on an endpoint: fills in a call's words, takes the values its pointers name. */
import type { Endpoint } from "../endpoint.ts";
import { EndpointError, undecodable } from "../endpoint-error.ts";
import { boundedEvidence, type ForeignBlock, type Json, missing, readHash, readHeight } from "../foreign-block.ts";
import { atPointer } from "../json-pointer.ts";
import { decodeMessage, encodeMessage } from "../protobuf.ts";
import type { CallRow, FamilyRow, ValueRow } from "./family.ts";

/** A call's answer, and what `via` gave. */
interface Asked {
  readonly value: unknown;
  readonly via: string | undefined;
}

interface Words {
  readonly height?: bigint;
  readonly via?: string;
}

/** The value a row names. Throws EndpointError. */
export async function askValue(endpoint: Endpoint, row: ValueRow, signal: AbortSignal): Promise<unknown> {
  return atPointer((await ask(endpoint, row, undefined, signal)).value, row.at);
}

/** The height a row names; -1n where the chain has none yet (`null`). */
export async function askHeight(endpoint: Endpoint, row: ValueRow, signal: AbortSignal): Promise<bigint> {
  const { value } = await ask(endpoint, row, undefined, signal);
  return value === null ? -1n : readHeight(atPointer(value, row.at), `the height in ${row.method}`);
}

/** A block to ask for. */
export interface BlockWanted {
  readonly row: FamilyRow;
  readonly height: bigint;
  /** False: the chain's hash is taken as answered. */
  readonly hashCheck: boolean;
}

/** A block by its height; undefined where the chain skipped it. Throws EndpointError. */
export async function askBlock(
  endpoint: Endpoint,
  { row, height, hashCheck }: BlockWanted,
  signal: AbortSignal,
): Promise<ForeignBlock | undefined> {
  try {
    const asked = await ask(endpoint, row.block, height, signal);
    if (isAbsent(asked.value)) throw missing(`${endpoint.host} has no block ${height} yet`);
    return decodeBlock(row, height, hashCheck, asked);
  } catch (error) {
    if (!(error instanceof EndpointError)) throw error;
    if (row.skipped?.(error)) return undefined;
    if (row.missing?.(error)) throw missing(`${endpoint.host} has no block ${height} yet`);
    throw error;
  }
}

/** `null`, and what Tron answers in its place. */
function isAbsent(value: unknown): boolean {
  return value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

async function ask(endpoint: Endpoint, row: CallRow, height: bigint | undefined, signal: AbortSignal): Promise<Asked> {
  const known: Words = height === undefined ? {} : { height };
  if (row.via === undefined) return { value: await call(endpoint, row, known, signal), via: undefined };
  const via = await endpoint.rpc(row.via.method, fill(row.via.params, known), signal);
  if (via === null) throw missing(`${endpoint.host} has no answer to ${row.via.method} yet`);
  if (typeof via !== "string") throw undecodable(`${row.via.method} answered no text`);
  return { value: await call(endpoint, row, { ...known, via }, signal), via };
}

function call(endpoint: Endpoint, row: CallRow, words: Words, signal: AbortSignal): Promise<unknown> {
  if (row.transport === "rpc") return endpoint.rpc(row.method, fill(row.params ?? [], words), signal);
  if (row.transport === "grpc") return callGrpc(endpoint, row, words, signal);
  const path = String(fill(row.method, words));
  return callRest(endpoint, row, path, words, signal);
}

async function callRest(
  endpoint: Endpoint,
  row: CallRow,
  path: string,
  words: Words,
  signal: AbortSignal,
): Promise<unknown> {
  const body = row.transport === "get" ? undefined : fill(row.params ?? {}, words);
  const value = await endpoint.rest(path, body, signal);
  const refused = row.refusedAt === undefined ? undefined : atPointer(value, row.refusedAt);
  if (typeof refused !== "string") return value;
  const said = refused.slice(0, 4_096);
  throw new EndpointError("rpc-error", `${endpoint.host} refused ${path.split("?")[0]}`, { said });
}

async function callGrpc(endpoint: Endpoint, row: CallRow, words: Words, signal: AbortSignal): Promise<unknown> {
  const { request = {}, response = {} } = row.message ?? {};
  const params = fill(row.params ?? {}, words) as Readonly<Record<string, Json>>;
  return decodeMessage(response, await endpoint.grpc(row.method, encodeMessage(request, params), signal));
}

function fill(template: Json, words: Words): Json {
  if (typeof template === "string") return fillText(template, words);
  if (template === null || typeof template !== "object") return template;
  if (Array.isArray(template)) return template.map((item: Json) => fill(item, words));
  return Object.fromEntries(Object.entries(template).map(([key, item]) => [key, fill(item, words)]));
}

function fillText(text: string, { height = 0n, via = "" }: Words): Json {
  if (text === "{number}") return Number(height);
  return text
    .replaceAll("{decimal}", String(height))
    .replaceAll("{hex}", `0x${height.toString(16)}`)
    .replaceAll("{via}", via);
}

function decodeBlock(row: FamilyRow, height: bigint, hashCheck: boolean, { value, via }: Asked): ForeignBlock {
  const native = row.hash === "{via}" ? via : atPointer(value, row.hash);
  const hash = readHash(native, row.spelling, `the hash of block ${height}`);
  if (row.number !== undefined) {
    const number = readHeight(atPointer(value, row.number), "the block's number");
    if (number !== height) throw undecodable(`asked for block ${height}, got ${number}`);
  }
  const proven = hashCheck ? row.prove?.(value) : undefined;
  if (proven?.hash !== undefined && readHash(proven.hash, "hex", "the recomputed hash") !== hash) {
    throw undecodable(`the header of block ${height} does not hash to its hash`);
  }
  const evidence = { family: row.name, hash: String(native), header: proven?.header ?? (value as Json) };
  return {
    height,
    hash,
    nativeHash: String(native),
    parentHash: parentHash(row, value),
    parentHeight: parentHeight(row, height, value),
    evidence: boundedEvidence(evidence),
  };
}

function parentHash(row: FamilyRow, value: unknown): ForeignBlock["parentHash"] {
  const native = row.parent === undefined ? undefined : atPointer(value, row.parent);
  if (native === undefined || native === null || native === "") return undefined;
  return readHash(native, row.spelling, "the parent's hash");
}

function parentHeight(row: FamilyRow, height: bigint, value: unknown): bigint | undefined {
  if (row.parentNumber === undefined) return height - 1n;
  const number = atPointer(value, row.parentNumber);
  return number === undefined || number === null ? undefined : readHeight(number, "the parent's height");
}
