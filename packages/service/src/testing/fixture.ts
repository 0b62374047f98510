/** A service on a temporary home for one test, its client, proofs to submit, and waiting with a deadline. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Log } from "@cairn/aggregator";
import { createApiKey } from "../accounts/api-key.ts";
import type { ServiceOptions } from "../options.ts";
import { type RunningService, startService } from "../service.ts";

/** A key made of zeros: right in form. */
export const TOKEN = createApiKey("sandbox", (bytes) => new Uint8Array(bytes)).text;

/** Nothing listens there. */
const NOWHERE = "http://127.0.0.1:1";

/** Keeps warnings and errors out of the tests' output; `CAIRN_TEST_LOG` shows them. */
export const testLog: Log = {
  debug: () => {},
  info: (fields, message) => show("info", fields, message),
  warn: (fields, message) => show("warn", fields, message),
  error: (fields, message) => show("error", fields, message),
};

function show(level: string, fields: object, message: string): void {
  if (process.env.CAIRN_TEST_LOG !== undefined) console.error(level, message, JSON.stringify(fields));
}

const ends = new WeakMap<TestContext, (() => unknown)[]>();

/** Runs when the test ends, the last registered first: what was opened on a directory is closed before it goes. */
export function atEnd(t: TestContext, step: () => unknown): void {
  const known = ends.get(t);
  if (known !== undefined) {
    known.push(step);
    return;
  }
  const steps = [step];
  ends.set(t, steps);
  t.after(async () => {
    for (const last of steps.reverse()) await last();
  });
}

/** A directory that is removed when the test ends. */
export function temporaryHome(t: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), "cairn-service-"));
  atEnd(t, () => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** Options of a service whose node is not there, with an embedded regtest that mines fast. */
export function serviceOptions(home: string): ServiceOptions {
  return {
    home,
    environment: "sandbox",
    listen: { host: "127.0.0.1", port: 0 },
    nodeRpcUrl: NOWHERE,
    consensusRpcUrl: NOWHERE,
    settlerKey: randomBytes(32),
    anchorKey: randomBytes(32),
    bitcoin: { kind: "embedded", host: "127.0.0.1", port: 0, blockIntervalMs: 250 },
    policy: { batchIntervalMs: 200, batchSlots: 512, anchorPeriodMs: 500, finalDepth: 3 },
    token: TOKEN,
    submissionsPerMinute: 0,
    log: testLog,
  };
}

/** A running service that is closed when the test ends. */
export async function runService(t: TestContext, o: Partial<ServiceOptions> = {}): Promise<RunningService> {
  const service = await startService({ ...serviceOptions(o.home ?? temporaryHome(t)), ...o });
  atEnd(t, () => service.close());
  return service;
}

/** An answer with its body parsed. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Calls with the test's token unless headers say otherwise. */
export async function call(service: RunningService, path: string, init: RequestInit = {}): Promise<Answer> {
  const headers = { authorization: `Bearer ${TOKEN}`, ...init.headers };
  const response = await fetch(`${service.url}${path}`, { ...init, headers });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : { text } };
}

/** Posts JSON. */
export function post(service: RunningService, path: string, body: unknown, headers: object = {}): Promise<Answer> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return call(service, path, {
    method: "POST",
    body: text,
    headers: { "content-type": "application/json", ...headers },
  });
}

/** A case of the proof vectors. */
export interface ProofCase {
  readonly id: string;
  readonly expected: string;
  readonly alsoAccepted?: readonly string[];
  /** The envelope. */
  readonly proofData: string;
}

const VECTORS = fileURLToPath(new URL("../../../../test/vectors/proofs", import.meta.url));

/** The vectors of snarkjs JSON on BN254 that were made for this set. */
export function proofCases(): readonly ProofCase[] {
  return casesOf(join(VECTORS, "groth16-snarkjs-json-bn254.jsonl"));
}

/** The vectors of every encoding and curve; with `CAIRN_VECTORS` those of third parties too. */
export function allProofCases(): readonly ProofCase[] {
  const { CAIRN_VECTORS: elsewhere } = process.env;
  const folders = elsewhere === undefined ? [VECTORS] : [VECTORS, join(elsewhere, "proofs/cases")];
  const cases = new Map<string, ProofCase>();
  for (const folder of folders) {
    const files = readdirSync(folder).filter((name) => /^groth16-.*\.jsonl$/.test(name));
    for (const item of files.flatMap((name) => casesOf(join(folder, name)))) cases.set(item.id, item);
  }
  return [...cases.values()];
}

function casesOf(file: string): readonly ProofCase[] {
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line) => {
    const { id, expected, alsoAccepted, system, curve, encoding, proof, publicInputs, vk, vkHash } = JSON.parse(line);
    const proofData = JSON.stringify({ system, curve, encoding, proof, publicInputs, vk, vkHash });
    return { id, expected, ...(alsoAccepted === undefined ? {} : { alsoAccepted }), proofData };
  });
}

/** Polls until `ask` answers something; throws after the deadline. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  deadlineMs = 30_000,
): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`waited too long: ${what}`);
    await delay(50);
  }
}
