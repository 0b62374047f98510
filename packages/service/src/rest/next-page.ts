/** Naming the next page (RFC 8288). */
import type { FastifyReply, FastifyRequest } from "fastify";

/** Sets `Link` to this listing with the cursor; answers the cursor. */
export function linkNext(http: FastifyRequest, reply: FastifyReply, cursor: string): string {
  const next = new URL(http.url, "http://localhost");
  next.searchParams.set("cursor", cursor);
  reply.header("link", `<${next.pathname}${next.search}>; rel="next"`);
  return cursor;
}
