/** Entity tags (RFC 9110): naming a representation by its bytes, and telling whether the caller has it. */
import { createHash } from "node:crypto";

/** The strong tag of a representation. */
export function entityTag(body: string | Uint8Array): string {
  return `"${digest(body)}"`;
}

/** The strong tag of a representation of something with versions: tells the version apart from the rest. */
export function versionTag(version: number, body: string): string {
  return `"${version}-${digest(body)}"`;
}

/** Does `If-None-Match` name this tag? */
export function matchesTag(header: string | undefined, tag: string): boolean {
  return tagsOf(header).some((known) => known === tag || known === "*");
}

/** Does `If-None-Match` name a representation of this version? */
export function matchesVersion(header: string | undefined, version: number): boolean {
  return tagsOf(header).some((known) => known.startsWith(`"${version}-`) || known === "*");
}

function tagsOf(header: string | undefined): readonly string[] {
  return header === undefined ? [] : header.split(",").map((entry) => entry.trim().replace(/^W\//, ""));
}

const DIGEST_CHARACTERS = 22;

function digest(body: string | Uint8Array): string {
  return createHash("sha256").update(body).digest("base64url").slice(0, DIGEST_CHARACTERS);
}
