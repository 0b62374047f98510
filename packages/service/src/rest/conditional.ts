/** Answers with an entity tag: 304 when the caller has this representation. */
import type { Route } from "@cairn/api";
import type { FastifyReply, FastifyRequest } from "fastify";
import { entityTag, matchesTag } from "./etag.ts";

/** Tags a successful answer of a route with `etag`; the answer itself, or nothing when the caller has it. */
export function conditional(route: Route, http: FastifyRequest, reply: FastifyReply, answer: unknown): unknown {
  if (route.etag !== true || reply.sent || reply.statusCode !== 200) return answer;
  const isRaw = typeof answer === "string" || answer instanceof Uint8Array;
  const body = isRaw ? answer : JSON.stringify(answer);
  if (!isRaw) reply.type("application/json; charset=utf-8");
  const made = reply.getHeader("etag");
  const tag = typeof made === "string" ? made : entityTag(body);
  reply.header("etag", tag).header("cache-control", route.access === "public" ? "no-cache" : "private, no-cache");
  if (!matchesTag(http.headers["if-none-match"], tag)) return body;
  return reply.code(304).removeHeader("content-type").send();
}
