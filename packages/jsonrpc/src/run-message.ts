/** Owns running the calls of one message within the limits and joining their replies. Knows no socket. */
import {
  type Call,
  errorReply,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  type Message,
  RESPONSE_TOO_LARGE,
  readMessage,
  resultReply,
  TIMED_OUT,
} from "./envelope.ts";
import type { Limits } from "./limits.ts";
import type { Dispatch, Log, RpcContext, RpcResult } from "./types.ts";

/** What running a message needs. */
export interface Runner {
  readonly dispatch: Dispatch;
  readonly limits: Limits;
  readonly log: Log;
}

/** The peer's side of a message: `abort` ends the calls still running under `context.signal`. */
export interface CallScope {
  readonly context: RpcContext;
  abort(): void;
  /** Told of every reply of a batch as it is made, in bytes: all of them are held until the last one is. */
  hold(bytes: number): void;
  /** Nobody waits for the reply any more: what is not begun need not be. */
  isOver(): boolean;
}

function crashed(runner: Runner, method: string, error: unknown): RpcResult {
  runner.log.error({ method, err: error }, "a method handler failed");
  return { ok: false, ...INTERNAL_ERROR };
}

function withTimeout(runner: Runner, scope: CallScope, running: Promise<RpcResult>): Promise<RpcResult> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      resolve({ ok: false, ...TIMED_OUT });
      scope.abort();
    }, runner.limits.callTimeoutMs);
    // A closed server has no peer left to answer: the timer alone must not keep the process.
    timer.unref();
    running.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

function runCall(runner: Runner, call: Call, scope: CallScope): Promise<string | undefined> | string | undefined {
  if (!call.valid) return errorReply(call.id, INVALID_REQUEST);
  const { id, method, params } = call;
  const reply = (result: RpcResult): string | undefined => (id === undefined ? undefined : resultReply(id, result));
  try {
    const result = runner.dispatch(method, params, scope.context);
    if (!(result instanceof Promise)) return reply(result);
    return withTimeout(runner, scope, result).then(reply, (error: unknown) => reply(crashed(runner, method, error)));
  } catch (error) {
    return reply(crashed(runner, method, error));
  }
}

/** Results of one window beyond this are large: the next window is small again. */
const SMALL_WINDOW_BYTES = 256 * 1024;

async function runBatch(runner: Runner, calls: readonly Call[], scope: CallScope): Promise<string | undefined> {
  const replies: string[] = [];
  const { batchConcurrency: most, batchResponseBytes } = runner.limits;
  const least = Math.max(1, most >> 4);
  let bytes = 0;
  const held = (text: string | undefined): string | undefined => {
    scope.hold(text?.length ?? 0);
    return scope.isOver() ? undefined : text;
  };
  const run = (call: Call) => {
    const text = runCall(runner, call, scope);
    return text instanceof Promise ? text.then(held) : held(text);
  };
  for (let at = 0, size = least; at < calls.length && !scope.isOver(); ) {
    const window = calls.slice(at, at + size);
    at += window.length;
    const before = bytes;
    const full = bytes > batchResponseBytes;
    const texts = full ? [] : await Promise.all(window.map(run));
    for (const [i, call] of window.entries()) {
      const text = texts[i];
      bytes += text?.length ?? 0;
      if (bytes <= batchResponseBytes) {
        if (text !== undefined) replies.push(text);
      } else if (call.id !== undefined) replies.push(errorReply(call.id, RESPONSE_TOO_LARGE));
    }
    size = bytes - before < SMALL_WINDOW_BYTES ? Math.min(most, size * 2) : least;
  }
  return replies.length === 0 ? undefined : `[${replies.join(",")}]`;
}

/** The reply to a message's text; `undefined` when it holds only notifications. Never rejects. */
export function runMessage(
  runner: Runner,
  text: string,
  scope: CallScope,
): Promise<string | undefined> | string | undefined {
  const message: Message = readMessage(text, runner.limits);
  if (message.kind === "fault") return message.reply;
  if (message.kind === "single") return runCall(runner, message.call, scope);
  return runBatch(runner, message.calls, scope);
}
