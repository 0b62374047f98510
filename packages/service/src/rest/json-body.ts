/**
 * Reading JSON bodies: UTF-8 without a content coding, each member named once (RFC 7493, I-JSON). The parser's own
 * texts stay inside.
 */
import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ProblemError } from "./problem-error.ts";

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/gi;

const digests = new WeakMap<FastifyRequest, Buffer>();
const NO_BODY = createHash("sha256").digest();

/** SHA-256 of the body's bytes; kept only for requests with an `Idempotency-Key`. */
export function bodyDigest(request: FastifyRequest): Buffer {
  return digests.get(request) ?? NO_BODY;
}

/** Makes JSON the only content type the server reads. */
export function readJsonBodies(app: FastifyInstance): void {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(JSON_TYPE, { parseAs: "buffer" }, (request, body, done) => {
    if (request.headers["idempotency-key"] !== undefined) {
      digests.set(request, createHash("sha256").update(body).digest());
    }
    if (body.length === 0 && !takesBody(request)) return done(null, undefined);
    try {
      done(null, parseJson(typeof body === "string" ? body : decoder.decode(body)));
    } catch (error) {
      done(error instanceof ProblemError ? error : new ProblemError("malformed-json"));
    }
  });
}

/** Does the route read a body? Others take an empty one of any type. */
function takesBody(request: FastifyRequest): boolean {
  const { takesBody: takes } = request.routeOptions.config as { readonly takesBody?: boolean };
  return takes !== false;
}

/** Refuses a body that is compressed or in another charset before it is read (415). */
export function checkEncoding({ headers }: FastifyRequest): void {
  const codings = (headers["content-encoding"] ?? "").split(",").map((coding) => coding.trim().toLowerCase());
  if (codings.some((coding) => coding !== "" && coding !== "identity")) {
    const detail = "the body must have no content coding";
    throw new ProblemError("unsupported-media-type", { detail, headers: { "accept-encoding": "identity" } });
  }
  const charsets = [...(headers["content-type"] ?? "").matchAll(CHARSET)].map(([, name = ""]) => name.toLowerCase());
  if (charsets.some((name) => name !== "utf-8" && name !== "utf8")) {
    throw new ProblemError("unsupported-media-type", { detail: "the body must be in UTF-8" });
  }
}

function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (countColons(text) !== countMembers(value)) {
    throw new ProblemError("malformed-json", { detail: "a member is given more than once" });
  }
  return value;
}

const COLON = 0x3a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Members in valid JSON text: the colons outside strings. */
function countColons(text: string): number {
  let colons = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === COLON) colons += 1;
    else if (unit === QUOTE) i = endOfString(text, i);
  }
  return colons;
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}

/** Members that parsing kept; walks without recursion. */
function countMembers(value: unknown): number {
  let members = 0;
  const open = [value];
  while (open.length > 0) {
    const item = open.pop();
    if (typeof item !== "object" || item === null) continue;
    const children = Object.values(item);
    if (!Array.isArray(item)) members += children.length;
    for (const child of children) open.push(child);
  }
  return members;
}
