/**
 * Owns one process that runs a script tracer. The script is a stranger's: it may never end, take memory or
 * overflow the stack of the engine that runs it; whatever it does, ending its process ends it. The process has no
 * environment, no files and no network calls to make: it reads the traced state over its pipe, and only that.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { Hash } from "@cairn/primitives";
import type { AddonChain } from "./addon.ts";
import type { TraceOutcome } from "./boundary/trace.ts";

/** What a script is run on. */
export interface ScriptPlan {
  /** The native core's plan, JSON text. */
  readonly plan: string;
  /** Decimal height after which state is read. */
  readonly base: string;
  /** Per transaction. */
  readonly timeoutMs: number;
  /** Of a block: its transactions' hashes, in order. */
  readonly hashes?: readonly Hash[];
}

/** Bounds beside the caller's timeout. */
const START_MS = 5_000;
const MAX_FRAME = 256 * 1024 * 1024;

const PROGRAM =
  "const m={exports:{}};process.dlopen(m,process.argv[1],require('node:os').constants.dlopen.RTLD_NOW);m.exports.runTracer()";

const EMPTY = new Uint8Array();

/** Answers one question about the state; the tags are those of `remote.rs`. */
function answer(chain: AddonChain, base: string, tag: string, body: Buffer): Uint8Array {
  const address = `0x${body.toString("hex", 0, 20)}`;
  switch (tag) {
    case "A":
      return chain.account(address, base) ?? EMPTY;
    case "C":
      return chain.code(address, base) ?? EMPTY;
    case "S":
      return chain.storage(address, body.subarray(20), base) ?? EMPTY;
    case "H": {
      const header = chain.headerJson(body.readBigUInt64BE().toString());
      const hash: string = header === null ? "00".repeat(32) : JSON.parse(header).hash.slice(2);
      return Buffer.from(hash, "hex");
    }
    default:
      throw new TypeError("unknown tag");
  }
}

function frame(body: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([length, body]);
}

/** Cuts a stream into frames. */
function createFrameReader(onFrame: (frame: Buffer) => void, onFault: () => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  return (chunk) => {
    parts.push(chunk);
    size += chunk.length;
    for (;;) {
      const first = parts[0];
      if (first === undefined || size < 4) return;
      const head = first.length >= 4 ? first : Buffer.concat(parts);
      const length = head.readUInt32LE();
      if (length === 0 || length > MAX_FRAME) return onFault();
      if (size < 4 + length) return;
      const all = Buffer.concat(parts);
      const rest = all.subarray(4 + length);
      parts = rest.length === 0 ? [] : [rest];
      size = rest.length;
      onFrame(all.subarray(4, 4 + length));
    }
  };
}

/** How a process ended: with an answer, or because it had to be ended. */
export type RunEnd =
  | { readonly kind: "done"; readonly json: string }
  | { readonly kind: "failed"; readonly outcome: TraceOutcome }
  /** Too long, too much memory, or gone: the transaction in progress has no trace. */
  | { readonly kind: "ended"; readonly reason: string };

/** What the engine adds behind the first line are places inside this program. */
function failure(text: string): RunEnd {
  const [code, first = ""] = text.split("\n", 2);
  const reason = first.replace(/ at line \d+, col \d+$/, "");
  if (code === "options") return { kind: "failed", outcome: { ok: false, code, reason } };
  const told = code === "failed" ? reason : "tracing failed";
  return { kind: "failed", outcome: { ok: false, code: "failed", reason: told } };
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** A timer that ends a run `ms` after it was last set, and in any case at the deadline. */
function createClock(deadline: number, end: () => void): { set(ms: number): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const total = setTimeout(end, Math.max(0, deadline - performance.now()));
  return {
    set(ms) {
      clearTimeout(timer);
      timer = setTimeout(end, ms);
    },
    stop() {
      clearTimeout(timer);
      clearTimeout(total);
    },
  };
}

/** One run: from which entry on, until when (`performance.now()`), and where the entries of a block go. */
export interface Run {
  readonly from: number;
  readonly deadline: number;
  onEntry(json: string): void;
}

function converse(child: Child, chain: AddonChain, script: ScriptPlan, run: Run): Promise<RunEnd> {
  return new Promise((resolve, reject) => {
    const settle = (end: RunEnd): void => {
      finish();
      resolve(end);
    };
    const end = (reason: string): void => settle({ kind: "ended", reason });
    const clock = createClock(run.deadline, () => end("execution timeout"));
    const finish = (): void => {
      clock.stop();
      child.stdout.removeAllListeners("data");
      child.kill("SIGKILL");
    };
    const onFrame = (bytes: Buffer): void => {
      const [tag, body] = [String.fromCharCode(bytes[0] ?? 0), bytes.subarray(1)];
      if (tag === "R") settle({ kind: "done", json: body.toString("utf8") });
      else if (tag === "E") settle(failure(body.toString("utf8")));
      else if (tag === "M") end("tracer out of memory");
      else if (tag === "T") run.onEntry(body.toString("utf8"));
      else if (tag === "N") clock.set(script.timeoutMs);
      else child.stdin.write(frame(answer(chain, script.base, tag, body)));
    };
    const read = createFrameReader(onFrame, () => end("tracer out of memory"));
    child.stdout.on("data", (chunk: Buffer) => {
      try {
        read(chunk);
      } catch (error) {
        finish();
        reject(error);
      }
    });
    child.on("error", reject);
    child.stdin.on("error", () => {});
    child.on("close", () => end("tracer out of memory"));
    clock.set(START_MS + script.timeoutMs);
    const from = Buffer.alloc(4);
    from.writeUInt32LE(run.from);
    child.stdin.write(frame(Buffer.concat([from, Buffer.from(script.plan)])));
  });
}

/** Runs a plan from an entry on in a process of its own, on the state of `chain`; `addon` is the path of the addon. */
export function runInProcess(addon: string, chain: AddonChain, script: ScriptPlan, run: Run): Promise<RunEnd> {
  const program = ["--max-old-space-size=64", "-e", PROGRAM, addon];
  const child: Child = spawn(process.execPath, program, { cwd: tmpdir(), env: {}, stdio: ["pipe", "pipe", "ignore"] });
  return converse(child, chain, script, run);
}
