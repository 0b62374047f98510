/** The timestamp tree: operations from a message down to attestations. */
import type { ByteReader } from "../byte-reader.ts";
import { concatBytes } from "../byte-writer.ts";
import { BitcoinFormatError } from "../format-error.ts";
import { type Attestation, readAttestation, serializeAttestation } from "./attestation.ts";
import { applyOp, MAX_MESSAGE_BYTES, type Op, opFromTag, opTag } from "./op.ts";
import { encodeVaruint, readVarbytes } from "./varuint.ts";

/** What holds of one message: attestations, and operations that lead to further messages. Never both empty. */
export interface Timestamp {
  readonly attestations: readonly Attestation[];
  readonly branches: readonly { readonly op: Op; readonly next: Timestamp }[];
}

/** An attestation with the message it speaks of. */
export interface Attested {
  readonly attestation: Attestation;
  readonly message: Uint8Array;
}

/** Deepest nesting of operations. */
export const MAX_DEPTH = 256;

/** A tree without forks: `ops` in order, then `end`. */
export function buildPath(ops: readonly Op[], end: Timestamp): Timestamp {
  return ops.reduceRight<Timestamp>((next, op) => ({ attestations: [], branches: [{ op, next }] }), end);
}

/** A leaf of the tree. */
export function attested(...attestations: readonly Attestation[]): Timestamp {
  return { attestations, branches: [] };
}

/** Two trees over the same message. */
export function mergeTimestamps(a: Timestamp, b: Timestamp): Timestamp {
  return { attestations: [...a.attestations, ...b.attestations], branches: [...a.branches, ...b.branches] };
}

/** The tree's bytes: every branch but the last is introduced by 0xff. Throws `too-deep`, `bad-length`. */
export function serializeTimestamp(timestamp: Timestamp, depth = 0): Uint8Array {
  if (depth > MAX_DEPTH) throw new BitcoinFormatError("too-deep", "more than 256 operations in a row");
  const items = [
    ...timestamp.attestations.map((attestation) => concatBytes(Uint8Array.of(0), serializeAttestation(attestation))),
    ...timestamp.branches.map(({ op, next }) => concatBytes(serializeOp(op), serializeTimestamp(next, depth + 1))),
  ];
  if (items.length === 0) throw new BitcoinFormatError("bad-length", "a timestamp that says nothing");
  return concatBytes(...items.flatMap((item, i) => (i < items.length - 1 ? [Uint8Array.of(0xff), item] : [item])));
}

/** Reads a tree. Throws `BitcoinFormatError`. */
export function readTimestamp(reader: ByteReader, depth = 0): Timestamp {
  if (depth > MAX_DEPTH) throw new BitcoinFormatError("too-deep", "more than 256 operations in a row");
  const attestations: Attestation[] = [];
  const branches: { op: Op; next: Timestamp }[] = [];
  for (let more = true; more; ) {
    let tag = reader.u8();
    more = tag === 0xff;
    if (more) tag = reader.u8();
    if (tag === 0) attestations.push(readAttestation(reader));
    else {
      const op = opFromTag(tag, () => readVarbytes(reader, 1, MAX_MESSAGE_BYTES));
      branches.push({ op, next: readTimestamp(reader, depth + 1) });
    }
  }
  return { attestations, branches };
}

/** Every attestation of the tree with its message, starting from `message`. Throws `too-large`. */
export function evaluateTimestamp(timestamp: Timestamp, message: Uint8Array): Attested[] {
  return [
    ...timestamp.attestations.map((attestation) => ({ attestation, message })),
    ...timestamp.branches.flatMap(({ op, next }) => evaluateTimestamp(next, applyOp(op, message))),
  ];
}

/** How many operations the tree holds. */
export function countOps(timestamp: Timestamp): number {
  return timestamp.branches.reduce((sum, { next }) => sum + 1 + countOps(next), 0);
}

function serializeOp(op: Op): Uint8Array {
  const tag = Uint8Array.of(opTag(op));
  return "arg" in op ? concatBytes(tag, encodeVaruint(op.arg.length), op.arg) : tag;
}
