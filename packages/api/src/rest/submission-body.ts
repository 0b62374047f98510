/**
 * The body of `POST /v1/submit-proof` and `POST /v1/verify`: schema, limits, and reading an untrusted value into
 * typed fields with JSON Pointers for every fault (specification: proof submission body). Does not judge proofs.
 */
import { z } from "zod";
import { bodyFaults, jsonPointer, plainFault } from "./body-fault.ts";
import type { FieldError } from "./problem.ts";

/** Limits of a body, in bytes unless said; answered under `limits` of `GET /status`. */
export const bodyLimits = {
  bodyBytes: 2 * 1024 * 1024,
  batchBodyBytes: 32 * 1024 * 1024,
  batchItems: 1_000,
  proofDataBytes: 1024 * 1024,
  externalIdCharacters: 128,
  metadataBytes: 4 * 1024,
  evidenceBytes: 64 * 1024,
} as const;

/** Deepest nesting of a member; what reads and writes JSON recursively stays far from its stack's end. */
const MAX_NESTING = 128;

const encoder = new TextEncoder();

/** UTF-8 length, counted only when the number of UTF-16 units leaves it open. */
function fits(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return false;
  return text.length * 3 <= maxBytes || encoder.encode(text).length <= maxBytes;
}

function jsonFits(value: unknown, maxBytes: number): boolean {
  return fits(JSON.stringify(value), maxBytes);
}

/** Names, decimal EVM ids and CAIP-2 ids alike. */
const CHAIN_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;
/** Is this text a decimal EVM id, a CAIP-2 id or a name of a chain? */
export function isChainId(text: string): boolean {
  return CHAIN_ID.test(text);
}

const BLOCK_NUMBER = /^(?:0|[1-9][0-9]{0,19}|0[xX][0-9a-fA-F]{1,16})$/;

/**
 * Decimal or 0x-hex text to canonical decimal; undefined when it is neither or not below 2^64 (docs/formats.md).
 */
export function parseBlockNumber(text: string): string | undefined {
  if (!BLOCK_NUMBER.test(text)) return undefined;
  const value = BigInt(text);
  return value < 1n << 64n ? value.toString() : undefined;
}

/** Schema of `proof_data`: 1 byte to 1 MiB of text. */
export const proofDataSchema = z
  .string()
  .min(1)
  .refine((text) => text.isWellFormed(), "is not well-formed Unicode")
  .refine((text) => fits(text, bodyLimits.proofDataBytes), "is larger than 1 MiB")
  .describe("The proof: JSON text of an envelope, or a bare artifact. 1 byte to 1 MiB.");

/** What a chain id must be, for people. */
export const CHAIN_ID_FORM = "must be a decimal chain id, a CAIP-2 id or a name of up to 64 characters";

/** Schema of a chain id. */
export const chainIdSchema = z.string().regex(CHAIN_ID, CHAIN_ID_FORM);

/** Schema of a submission body. Unknown members are ignored and named in `warnings`. */
export const submitProofSchema = z.object({
  proof_data: proofDataSchema,
  chain_id: chainIdSchema.describe(
    "The integrator's chain: a decimal EVM chain id, a CAIP-2 id or a name; compared without case.",
  ),
  block_number: z
    .string()
    .refine((text) => parseBlockNumber(text) !== undefined, "must be decimal or 0x-hex text below 2^64")
    .describe("Block of the integrator's chain: decimal or 0x-hex text, answered as decimal text.")
    .optional(),
  external_id: z
    .string()
    .max(bodyLimits.externalIdCharacters)
    .refine((text) => text.isWellFormed(), "is not well-formed Unicode")
    .describe("The caller's own name for this submission; comes back unchanged.")
    .optional(),
  metadata: z
    .json()
    .refine((value) => jsonFits(value, bodyLimits.metadataBytes), "is larger than 4 KiB as JSON text")
    .describe("Any JSON value up to 4 KiB; comes back unchanged.")
    .optional(),
  quote: z.string().max(512).describe("Id of a quote (`GET /v1/quote`), which fixes the price.").optional(),
  source: z
    .string()
    .max(512)
    .refine((text) => text.isWellFormed(), "is not well-formed Unicode")
    .describe("Reader only: where the commitment was read (`kind:name|height|block hash|log index`).")
    .optional(),
  reorg_of: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/, "must be a submission id")
    .describe("Reader only: id of the submission whose block this one replaces.")
    .optional(),
  evidence: z
    .json()
    .refine((value) => jsonFits(value, bodyLimits.evidenceBytes), "is larger than 64 KiB as JSON text")
    .describe("Reader only: what was fetched, up to 64 KiB.")
    .optional(),
});

/** A decoded submission body; `block_number` still as sent. */
export type SubmitProofBody = z.infer<typeof submitProofSchema>;

/** Schema of the stateless verification's body. */
export const verifySchema = z.object({ proof_data: proofDataSchema });

/** A decoded verification body. */
export type VerifyBody = z.infer<typeof verifySchema>;

/** A member that is ignored. */
export interface BodyWarning {
  readonly pointer: string;
  readonly detail: string;
}

/** What reading a body gives. */
export type DecodedBody<T> =
  | { readonly ok: true; readonly value: T; readonly warnings: readonly BodyWarning[] }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

const MAX_LISTED = 32;

/** Whether a JSON value nests at most `levels` arrays and objects; walks without recursion. */
function isShallow(value: unknown, levels: number): boolean {
  let level: readonly unknown[] = [value];
  for (let left = levels; ; left -= 1) {
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? [item] : []));
    if (level.length === 0) return true;
    if (left === 0) return false;
    level = level.flatMap((item) => Object.values(item as object));
  }
}

function nestingFaults(known: readonly string[], body: unknown): FieldError[] {
  if (typeof body !== "object" || body === null) return [];
  const members = body as Readonly<Record<string, unknown>>;
  const detail = `is nested deeper than ${MAX_NESTING} levels`;
  return known
    .filter((name) => Object.hasOwn(members, name) && !isShallow(members[name], MAX_NESTING))
    .map((name) => ({ pointer: jsonPointer([name]), code: "invalid", detail }));
}

/** Reads an untrusted JSON value by a schema of this module. Faults come with pointers, unknown members as warnings. */
export function decodeBody<T extends z.ZodObject>(schema: T, body: unknown): DecodedBody<z.infer<T>> {
  const tooDeep = nestingFaults(Object.keys(schema.shape), body);
  if (tooDeep.length > 0) return { ok: false, errors: tooDeep };
  const parsed = schema.safeParse(body, { error: plainFault });
  if (!parsed.success) return { ok: false, errors: bodyFaults(parsed.error.issues, body, MAX_LISTED) };
  const known = schema.shape;
  const warnings = Object.keys(body as Record<string, unknown>)
    .filter((name) => !Object.hasOwn(known, name))
    .slice(0, MAX_LISTED)
    .map((name) => ({ pointer: jsonPointer([name]), detail: "unknown member, ignored" }));
  return { ok: true, value: parsed.data, warnings };
}
