/** Times with nanoseconds: protobuf form, RFC 3339 text as Go writes it, comparison and addition. */
import { concat } from "./bytes.ts";
import { CometError } from "./error.ts";
import { readMessage, readSmall } from "./proto-read.ts";
import { intField } from "./proto-write.ts";
import type { Timestamp } from "./types.ts";

const RFC3339 = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?Z$/;
const NANOS_PER_SECOND = 1_000_000_000n;
const MIN_SECONDS = -62135596800n;
const MAX_SECONDS = 253402300799n;

/** Go's zero time, 0001-01-01T00:00:00Z: the timestamp of an absent signature. */
export const ZERO_TIME: Timestamp = { seconds: MIN_SECONDS, nanos: 0 };

/** google.protobuf.Timestamp. */
export function encodeTimestamp(time: Timestamp): Uint8Array {
  return concat([intField(1, time.seconds), intField(2, time.nanos)]);
}

/** Strict inverse of {@link encodeTimestamp}. Throws CometError `invalid-encoding`. */
export function decodeTimestamp(bytes: Uint8Array): Timestamp {
  const message = readMessage(bytes, { 1: "int", 2: "int" });
  const seconds = message.int(1);
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS) throw new CometError("invalid-encoding", "time out of range");
  return { seconds, nanos: readSmall(message.int(2), 999_999_999) };
}

/** RFC 3339 in UTC with up to nine fraction digits, trailing zeros cut (Go's RFC3339Nano). Years 1 to 9999. */
export function timestampToRfc3339(time: Timestamp): string {
  if (time.seconds < MIN_SECONDS || time.seconds > MAX_SECONDS) {
    throw new CometError("invalid-value", "time out of range");
  }
  const whole = new Date(Number(time.seconds) * 1000).toISOString().slice(0, 19);
  const fraction = time.nanos === 0 ? "" : `.${String(time.nanos).padStart(9, "0").replace(/0+$/, "")}`;
  return `${whole}${fraction}Z`;
}

/** Strict inverse of {@link timestampToRfc3339}: UTC (`Z`), canonical fraction. Throws CometError `invalid-json`. */
export function parseRfc3339(text: string): Timestamp {
  const match = RFC3339.exec(text);
  const milliseconds = match === null ? Number.NaN : Date.parse(`${match[1]}.000Z`);
  if (match === null || Number.isNaN(milliseconds))
    throw new CometError("invalid-json", "expected an RFC 3339 UTC time");
  const time = { seconds: BigInt(milliseconds / 1000), nanos: Number((match[2] ?? "").padEnd(9, "0")) };
  if (time.seconds < MIN_SECONDS || timestampToRfc3339(time) !== text) {
    throw new CometError("invalid-json", "time not in canonical form");
  }
  return time;
}

/** Negative, zero or positive as `a` is before, at or after `b`. */
export function compareTimestamps(a: Timestamp, b: Timestamp): number {
  if (a.seconds !== b.seconds) return a.seconds < b.seconds ? -1 : 1;
  return a.nanos - b.nanos;
}

/** The time some nanoseconds later (earlier when negative). */
export function addNanos(time: Timestamp, nanos: bigint): Timestamp {
  const total = time.seconds * NANOS_PER_SECOND + BigInt(time.nanos) + nanos;
  const rest = ((total % NANOS_PER_SECOND) + NANOS_PER_SECOND) % NANOS_PER_SECOND;
  return { seconds: (total - rest) / NANOS_PER_SECOND, nanos: Number(rest) };
}

/** The time of a count of milliseconds since 1970. */
export function timestampFromMs(milliseconds: number): Timestamp {
  return addNanos({ seconds: 0n, nanos: 0 }, BigInt(Math.floor(milliseconds)) * 1_000_000n);
}
