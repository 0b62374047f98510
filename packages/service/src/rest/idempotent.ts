/** Serving a request under its `Idempotency-Key`: what is a repeat, what is kept, what is answered. */
import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { StoredAnswer } from "../idempotency/answer-store.ts";
import { type Idempotency, parseIdempotencyKey } from "../idempotency/idempotency.ts";
import { bodyDigest } from "./json-body.ts";
import { ProblemError } from "./problem-error.ts";

/** A request that may be a repeat. */
export interface IdempotentRequest {
  readonly http: FastifyRequest;
  readonly reply: FastifyReply;
  readonly account: string;
  /** Operation and parameters of the path, however it was spelled. */
  readonly target: string;
}

const KEPT_HEADERS = ["content-type", "location", "preference-applied", "cache-control"];

/** The key sent; undefined without one. Throws the `invalid-idempotency-key` problem. */
export function idempotencyKey(http: FastifyRequest): string | undefined {
  const header = http.headers["idempotency-key"];
  if (header === undefined) return undefined;
  const key = typeof header === "string" ? parseIdempotencyKey(header) : undefined;
  if (key === undefined) throw new ProblemError("invalid-idempotency-key");
  return key;
}

/** Serves by `serve` or from the kept answer. The answer is durable before it is sent. */
export async function serveOnce(
  idempotency: Idempotency,
  { http, reply, account, target }: IdempotentRequest,
  key: string,
  serve: () => Promise<unknown>,
): Promise<unknown> {
  const digest = createHash("sha256").update(`${target}\n`).update(bodyDigest(http));
  const claim = idempotency.claim({ account, key, fingerprint: digest.digest() });
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
