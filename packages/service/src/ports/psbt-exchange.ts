/**
 * Handing a PSBT to an external signer: a command's standard input and output, or an HTTP endpoint. Bounded in time and
 * size whatever the signer does; ends with the service. What comes back is judged elsewhere.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { boundedText, httpEndpoint, SignerError } from "@cairn/bitcoin-node";

/** Hands over a PSBT in base64; resolves with the signed one. Throws `SignerError`. */
export type PsbtExchange = (psbt: string) => Promise<string>;

/** How long a signer may take, and what else ends the wait. */
export interface ExchangeLimits {
  /** Default 60,000. */
  readonly timeoutMs?: number;
  /** The service closes. */
  readonly signal?: AbortSignal;
}

const TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * Runs a command for each PSBT. No shell is involved; what it writes to standard error goes to ours. It gets a process
 * group of its own, which is killed as a whole: what a signer script started does not outlive its answer.
 */
export function commandExchange(command: readonly string[], limits: ExchangeLimits = {}): PsbtExchange {
  const { timeoutMs = TIMEOUT_MS, signal } = limits;
  const [program = "", ...args] = command;
  return async (psbt) => {
    if (signal?.aborted) throw closing();
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"], detached: true });
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const fail = (message: string): void => reject(new SignerError("unreachable", `its command ${message}`));
    const timer = setTimeout(() => fail(`took longer than ${timeoutMs / 1000} s`), timeoutMs);
    const stop = (): void => reject(closing());
    signal?.addEventListener("abort", stop);
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) fail(`wrote more than ${MAX_ANSWER_BYTES} bytes`);
      else chunks.push(chunk);
    });
    child.on("error", () => fail("cannot be run"));
    child.on("close", (code, died) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString("utf8").trim());
      else fail(died === null ? `ended with exit code ${code}` : `was ended by ${died}`);
    });
    child.stdin.on("error", () => {});
    child.stdin.end(`${psbt}\n`);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      endGroup(child);
    }
  };
}

function closing(): SignerError {
  return new SignerError("unreachable", "the service is closing");
}

/** The command may have ended already, its descendants not. */
function endGroup(child: ChildProcess): void {
  child.stdout?.destroy();
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    return;
  }
}

/**
 * Posts each PSBT to an endpoint that answers 200 with the signed one. User and password of the URL go into the
 * `Authorization` header.
 */
export function httpExchange(url: string, limits: ExchangeLimits = {}): PsbtExchange {
  const { timeoutMs = TIMEOUT_MS, signal } = limits;
  const target = httpEndpoint(url);
  const headers = { "content-type": "text/plain", ...target.headers };
  return async (psbt) => {
    const late = AbortSignal.timeout(timeoutMs);
    const ends = signal === undefined ? late : AbortSignal.any([late, signal]);
    try {
      const init = { method: "POST", headers, body: psbt, redirect: "error", signal: ends } as const;
      const response = await fetch(target.url, init);
      if (response.status !== 200) {
        await response.body?.cancel();
        throw new SignerError("unreachable", `its endpoint answered HTTP ${response.status}`);
      }
      const text = await boundedText(response, MAX_ANSWER_BYTES);
      if (text === undefined) throw new SignerError("bad-answer", "its endpoint answered too much");
      return text.trim();
    } catch (error) {
      if (error instanceof SignerError) throw error;
      if (signal?.aborted) throw closing();
      const what = late.aborted ? `took longer than ${timeoutMs / 1000} s` : "does not answer";
      throw new SignerError("unreachable", `its endpoint ${what}`);
    }
  };
}
