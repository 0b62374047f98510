/** For the fuzz suite: what every reply must be, whatever was asked. */
import assert from "node:assert/strict";
import { rpcErrors } from "@cairn/api";

const CODES = new Set<number>(Object.values(rpcErrors).map((entry) => entry.code));

/** What only the inside of the node knows: stacks, files, languages, other processes. */
const INSIDE =
  /\n\s+at |node_modules|\/(?:home|root|tmp|work|usr|var)\/|\.(?:ts|js|rs):\d|panicked|unwrap|TypeError|RangeError|SyntaxError|is not a function|of undefined|napi|fjall|revm/;

interface Reply {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown };
}

function checkError(error: NonNullable<Reply["error"]>): void {
  assert.ok(typeof error.code === "number" && CODES.has(error.code), `a code of the catalogue: ${error.code}`);
  assert.notEqual(error.code, -32603, "no internal error");
  assert.ok(typeof error.message === "string" && error.message.length > 0 && error.message.length < 4_096);
  assert.doesNotMatch(error.message, INSIDE);
  if (typeof error.data === "string") assert.doesNotMatch(error.data, INSIDE);
}

/** Checks the reply to one call. */
export function checkReply(value: unknown): void {
  assert.ok(typeof value === "object" && value !== null && !Array.isArray(value), "a reply is an object");
  const reply: Reply = value;
  assert.equal(reply.jsonrpc, "2.0");
  assert.ok("id" in reply);
  assert.notEqual("result" in reply, "error" in reply, "a result or an error");
  if (reply.error !== undefined) checkError(reply.error);
}

/** Checks the text that answers a message; empty for notifications only. */
export function checkAnswer(text: string): void {
  if (text === "") return;
  const answer: unknown = JSON.parse(text);
  assert.notDeepEqual(answer, [], "a batch of notifications has no answer");
  for (const reply of Array.isArray(answer) ? answer : [answer]) checkReply(reply);
}
