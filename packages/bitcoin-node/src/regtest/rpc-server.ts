/**
 * The embedded node's JSON-RPC over HTTP, in Bitcoin Core's manner: basic authentication, batches, requests with or
 * without a `jsonrpc` member, HTTP status by the old (1.x) or new (2.0) rules.
 */
import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sha256 } from "@noble/hashes/sha2.js";
import type { Log } from "../types.ts";
import { FAULT, RegtestFault } from "./fault.ts";
import { RPC_METHODS, type RpcTarget } from "./rpc-methods.ts";

const MAX_BODY_BYTES = 16 * 1024 * 1024;
const MAX_BATCH = 1000;

/** What the server needs. */
export interface RpcServerOptions {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly target: RpcTarget;
  readonly log: Log;
}

/** A listening server. */
export interface RpcServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens; rejects when the port is taken. */
export async function createRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const server = createServer((request, response) => {
    serve(options, request, response).catch((error: unknown) => {
      options.log.error({ error: String(error) }, "bitcoin rpc request failed");
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => resolve());
  });
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server) };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function serve(options: RpcServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== "POST")
    return send(response, 405, "JSONRPC server handles only POST requests", { allow: "POST" });
  if (!isAuthorized(options, request.headers.authorization)) {
    return send(response, 401, "", { "www-authenticate": 'Basic realm="jsonrpc"' });
  }
  const body = await readBody(request);
  if (body === undefined) return send(response, 413, "");
  const { status, json } = answer(options, body);
  send(response, status, json === "" ? "" : `${json}\n`, { "content-type": "application/json" });
}

function send(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(text) });
  response.end(text);
}

// Digests have one length, so the comparison takes the same time for every guess.
function isAuthorized(o: { user: string; password: string }, header: string | undefined): boolean {
  const expected = `Basic ${Buffer.from(`${o.user}:${o.password}`, "utf8").toString("base64")}`;
  const digest = (text: string): Uint8Array => sha256(Buffer.from(text, "utf8"));
  return timingSafeEqual(digest(header ?? ""), digest(expected));
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

interface Reply {
  readonly status: number;
  /** Empty: nothing is answered (notifications). */
  readonly json: string;
}

function answer(options: RpcServerOptions, body: string): Reply {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return {
      status: 500,
      json: envelope({ old: true, id: null, error: { code: FAULT.parse, message: "Parse error" } }),
    };
  }
  if (!Array.isArray(parsed)) return answerOne(options, parsed);
  if (parsed.length > MAX_BATCH) {
    const error = { code: FAULT.invalidRequest, message: `Batch above ${MAX_BATCH} requests` };
    return { status: 500, json: envelope({ old: true, id: null, error }) };
  }
  const replies = parsed.map((item) => answerOne(options, item).json).filter((json) => json !== "");
  return {
    status: replies.length === 0 && parsed.length > 0 ? 204 : 200,
    json: replies.length === 0 && parsed.length > 0 ? "" : `[${replies.join(",")}]`,
  };
}

function answerOne(options: RpcServerOptions, item: unknown): Reply {
  const request = (typeof item === "object" && item !== null ? item : {}) as Record<string, unknown>;
  const old = request.jsonrpc !== "2.0";
  const id = request.id ?? null;
  const silent = !old && request.id === undefined;
  try {
    const result = execute(options.target, request);
    return silent ? { status: 204, json: "" } : { status: 200, json: envelope({ old, id, result }) };
  } catch (error) {
    const fault = asFault(options, error);
    const json = silent ? "" : envelope({ old, id, error: { code: fault.code, message: fault.message } });
    return { status: silent ? 204 : old ? statusOf(fault.code) : 200, json };
  }
}

function execute(target: RpcTarget, request: Record<string, unknown>): unknown {
  if (typeof request.method !== "string") throw new RegtestFault(FAULT.invalidRequest, "Method must be a string");
  const found = RPC_METHODS.get(request.method);
  if (found === undefined) throw new RegtestFault(FAULT.methodNotFound, "Method not found");
  return found.run(target, positional(found.args, request.params)) ?? null;
}

function positional(names: readonly string[], params: unknown): readonly unknown[] {
  if (params === undefined || params === null) return [];
  if (Array.isArray(params)) {
    if (params.length > names.length)
      throw new RegtestFault(FAULT.misc, `too many parameters, takes: ${names.join(" ")}`);
    return params;
  }
  if (typeof params !== "object") throw new RegtestFault(FAULT.invalidRequest, "Params must be an array or object");
  const named = params as Record<string, unknown>;
  const unknown = Object.keys(named).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new RegtestFault(FAULT.invalidParameter, `Unknown named parameter ${unknown}`);
  return names.map((name) => named[name]);
}

function asFault(options: RpcServerOptions, error: unknown): RegtestFault {
  if (error instanceof RegtestFault) return error;
  options.log.error({ error: String(error) }, "bitcoin rpc method failed");
  return new RegtestFault(FAULT.misc, "internal error");
}

function statusOf(code: number): number {
  if (code === FAULT.invalidRequest) return 400;
  return code === FAULT.methodNotFound ? 404 : 500;
}

function envelope(o: {
  old: boolean;
  id: unknown;
  result?: unknown;
  error?: { code: number; message: string };
}): string {
  if (o.old) return JSON.stringify({ result: o.result ?? null, error: o.error ?? null, id: o.id });
  const outcome = o.error === undefined ? { result: o.result ?? null } : { error: o.error };
  return JSON.stringify({ jsonrpc: "2.0", ...outcome, id: o.id });
}
