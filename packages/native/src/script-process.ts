/**
 * Owns running a script tracer in a process of its own. The script is a stranger's: it may never end, take memory or
 * overflow the stack of the engine that runs it; whatever it does, ending its process ends it. The process has no
 * environment, no files and no network calls to make: it reads the traced state over its pipe, and only that.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { AddonChain } from "./addon.ts";
import type { TraceOutcome } from "./types.ts";

/** What a script is run on. */
export interface ScriptPlan {
  /** The native core's plan, JSON text. */
  readonly plan: string;
  /** Decimal height after which state is read. */
  readonly base: string;
  /** Per transaction. */
  readonly timeoutMs: number;
}

/** Bounds beside the caller's timeout. */
const START_MS = 5_000;
const TOTAL_MS = 120_000;
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

function outcomeOf(text: string): TraceOutcome {
  const newline = text.indexOf("\n");
  const [code, reason] = [text.slice(0, newline), text.slice(newline + 1)];
  if (code === "options") return { ok: false, code, reason };
  return { ok: false, code: "failed", reason: code === "failed" ? reason : "tracing failed" };
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** A timer that ends a run `ms` after it was last set, and in any case `TOTAL_MS` after the first time. */
function createClock(end: () => void): { set(ms: number): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const total = setTimeout(end, TOTAL_MS);
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

function converse(child: Child, chain: AddonChain, script: ScriptPlan): Promise<TraceOutcome> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => settle({ ok: false, code: "failed", reason });
    const clock = createClock(() => fail("execution timeout"));
    const finish = (): void => {
      clock.stop();
      child.kill("SIGKILL");
    };
    const settle = (outcome: TraceOutcome): void => {
      finish();
      resolve(outcome);
    };
    const onFrame = (bytes: Buffer): void => {
      const [tag, body] = [String.fromCharCode(bytes[0] ?? 0), bytes.subarray(1)];
      if (tag === "R") settle({ ok: true, json: body.toString("utf8") });
      else if (tag === "E") settle(outcomeOf(body.toString("utf8")));
      else if (tag === "M") fail("tracer out of memory");
      else if (tag === "N") clock.set(script.timeoutMs);
      else child.stdin.write(frame(answer(chain, script.base, tag, body)));
    };
    const read = createFrameReader(onFrame, () => fail("tracer out of memory"));
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
    child.on("close", () => fail("tracer out of memory"));
    clock.set(START_MS + script.timeoutMs);
    child.stdin.write(frame(Buffer.from(script.plan)));
  });
}

/** Runs the script of a plan on the state of `chain`; `addon` is the path of the addon. */
export function traceInProcess(addon: string, chain: AddonChain, script: ScriptPlan): Promise<TraceOutcome> {
  const program = ["--max-old-space-size=64", "-e", PROGRAM, addon];
  const child: Child = spawn(process.execPath, program, { cwd: tmpdir(), env: {}, stdio: ["pipe", "pipe", "ignore"] });
  return converse(child, chain, script);
}
