/** Serving a request under its `Idempotency-Key`: what is a repeat, what is kept, what is answered. */
import { createHash } from "node:crypto";
import { PUBLIC_IDEMPOTENCY_KEY_CHARACTERS } from "@cairn/api";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { StoredAnswer } from "../idempotency/answer-store.ts";
import { type Idempotency, parseIdempotencyKey } from "../idempotency/idempotency.ts";
import { bodyDigest } from "./json-body.ts";
import { ProblemError } from "./problem-error.ts";

/** A request that may be a repeat. */
export interface KeyedRequest {
  readonly key: string;
  /** Whose key it is: an account, or the address of a caller without one. */
  readonly owner: string;
  /** Operation, parameters of its path and body. */
  readonly fingerprint: Uint8Array;
  /** Names owner, key and fingerprint together: 32 bytes. */
  readonly name: Uint8Array;
}

const KEPT_HEADERS = ["content-type", "location", "preference-applied", "cache-control"];

/**
 * The request under the key it was sent with; undefined without one. `target` names operation and parameters however the
 * path was spelled. Throws the `invalid-idempotency-key` problem.
 */
export function keyedRequest(
  http: FastifyRequest,
  { account, target }: { readonly account: string; readonly target: string },
): KeyedRequest | undefined {
  const header = http.headers["idempotency-key"];
  if (header === undefined) return undefined;
  const key = typeof header === "string" ? parseIdempotencyKey(header) : undefined;
  if (key === undefined) throw new ProblemError("invalid-idempotency-key");
  if (account === "" && key.length < PUBLIC_IDEMPOTENCY_KEY_CHARACTERS) {
    const detail = `without a token a key has at least ${PUBLIC_IDEMPOTENCY_KEY_CHARACTERS} characters`;
    throw new ProblemError("invalid-idempotency-key", { detail });
  }
  const owner = account === "" ? `address:${http.ip}` : account;
  const fingerprint = createHash("sha256").update(`${target}\n`).update(bodyDigest(http)).digest();
  const name = createHash("sha256")
    .update(JSON.stringify([owner, key]))
    .update(fingerprint)
    .digest();
  return { key, owner, fingerprint, name };
}

/** Serves by `serve` or from the kept answer. The answer is durable before it is sent. */
export async function serveOnce(
  idempotency: Idempotency,
  reply: FastifyReply,
  { owner, key, fingerprint }: KeyedRequest,
  serve: () => Promise<unknown>,
): Promise<unknown> {
  const claim = idempotency.claim({ account: owner, key, fingerprint });
  if (claim.kind === "replay") return replay(reply, claim.answer);
  if (claim.kind === "mismatch") throw new ProblemError("idempotency-key-reused");
  if (claim.kind === "in-progress") {
    throw new ProblemError("idempotency-in-progress", { headers: { "retry-after": "1" } });
  }
  let answer: unknown;
  try {
    answer = await serve();
  } catch (error) {
    claim.pending.abandon();
    throw error;
  }
  const body = typeof answer === "string" ? answer : JSON.stringify(answer ?? null);
  if (typeof answer !== "string") reply.type("application/json; charset=utf-8");
  await claim.pending.finish({ status: reply.statusCode, headers: keptHeaders(reply), body });
  return body;
}

function keptHeaders(reply: FastifyReply): StoredAnswer["headers"] {
  const kept = KEPT_HEADERS.map((name): [string, unknown] => [name, reply.getHeader(name)]);
  return Object.fromEntries(kept.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

function replay(reply: FastifyReply, { status, headers, body }: StoredAnswer): string {
  reply.code(status).headers(headers).header("idempotency-replayed", "true");
  return body;
}
