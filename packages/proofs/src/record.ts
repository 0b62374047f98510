/** The record: what a leaf says of a proof (docs/formats.md). */
import { concatBytes } from "@cairn/primitives";
import type { LeafRecord, StatementKind } from "./types.ts";
import { fixed, str, uint, WireError, WireReader } from "./wire.ts";

const KIND_BYTE = { proof: 1, commitment: 2 } as const satisfies Record<StatementKind, number>;

/** Byte of a kind in records and in `VerifyProofs` slots. */
export function kindByte(kind: StatementKind): 1 | 2 {
  return KIND_BYTE[kind];
}

/** Record v1 (docs/formats.md). Throws RangeError for lengths that do not fit. */
export function recordV1(record: LeafRecord): Uint8Array {
  const { blockNumber } = record;
  return concatBytes(
    Uint8Array.of(1, kindByte(record.kind)),
    str(record.system),
    str(record.curve),
    str(record.encoding),
    str(record.version),
    fixed(record.vkHash, 32),
    fixed(record.publicInputsHash, 32),
    str(record.chainId),
    blockNumber === null ? Uint8Array.of(0) : concatBytes(Uint8Array.of(1), uint(blockNumber, 8)),
    fixed(record.salt, 32),
  );
}

/** Strict reader of `recordV1`'s output. Throws `WireError`. */
export function parseRecordV1(bytes: Uint8Array): LeafRecord {
  const r = new WireReader(bytes);
  if (r.number(1) !== 1) throw new WireError("not a record of version 1");
  const record = {
    kind: readKind(r),
    system: r.str(),
    curve: r.str(),
    encoding: r.str(),
    version: r.str(),
    vkHash: r.take(32),
    publicInputsHash: r.take(32),
    chainId: r.str(),
    blockNumber: readBlockNumber(r),
    salt: r.take(32),
  };
  r.end();
  return record;
}

/** Kind of its byte. Throws `WireError`. */
export function readKind(reader: WireReader): StatementKind {
  const byte = reader.number(1);
  if (byte !== 1 && byte !== 2) throw new WireError("unknown kind");
  return byte === 1 ? "proof" : "commitment";
}

function readBlockNumber(reader: WireReader): bigint | null {
  const flag = reader.number(1);
  if (flag > 1) throw new WireError("a flag is 0 or 1");
  return flag === 1 ? reader.uint(8) : null;
}
