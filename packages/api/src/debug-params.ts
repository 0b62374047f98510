/** Owns the parameters of `debug` methods that read and write files and steer the process. */

import { bytesToHex, type Hash } from "@cairn/primitives";
import { type Codec, CodecError } from "./codec.ts";
import { data, number, string } from "./codecs.ts";

/** Longest file name taken. */
const MAX_NAME = 128;
const MAX_SECONDS = 600;
const MAX_LEVEL = 5;
const MAX_FILTER = 256;

/** The plain name of a file in the node's debug directory: no path, nothing hidden. */
export const fileName: Codec<string> = {
  title: "file name",
  schema: { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$", maxLength: MAX_NAME },
  decode(value) {
    const name = string.decode(value);
    if (name.length > MAX_NAME || !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) {
      throw new CodecError("expected a plain file name in the node's debug directory");
    }
    return name;
  },
};

function integerUpTo(title: string, least: number, most: number): Codec<number> {
  return {
    title,
    schema: { type: "integer", minimum: least, maximum: most },
    decode(value) {
      const count = number.decode(value);
      if (!Number.isInteger(count) || count < least || count > most) {
        throw new CodecError(`expected a whole number from ${least} to ${most}`);
      }
      return count;
    },
  };
}

/** Seconds a profile takes. */
export const seconds: Codec<number> = integerUpTo("seconds", 1, MAX_SECONDS);

/** geth's numbers of log levels: 0 silent, 1 error, 2 warn, 3 info, 4 and 5 debug. */
export const verbosity: Codec<number> = integerUpTo("verbosity", 0, MAX_LEVEL);

/** Most accounts or slots of one answer. */
const MAX_ENTRIES = 256;
const MAX_SLOTS = 10_000;

/** Most accounts of a dump; 0 and everything above 256 stand for 256, as in geth. */
export const accountCount: Codec<number> = {
  title: "count",
  schema: { type: "integer" },
  decode(value) {
    const asked = number.decode(value);
    if (!Number.isSafeInteger(asked)) throw new CodecError("expected a whole number");
    return asked <= 0 || asked > MAX_ENTRIES ? MAX_ENTRIES : asked;
  },
};

/** Most slots of a range. */
export const slotCount: Codec<number> = integerUpTo("count", 0, MAX_SLOTS);

/** Position of a transaction in its block, as a JSON number. */
export const position: Codec<number> = integerUpTo("index", 0, 2 ** 31 - 1);

/** The beginning of a key: at most 32 bytes of hex, the rest zeros. */
export const keyStart: Codec<Hash> = {
  title: "start of a key",
  schema: { type: "string", pattern: "^0x([0-9a-fA-F]{2}){0,32}$" },
  decode(value) {
    const bytes = data.decode(value);
    if (bytes.length > 32) throw new CodecError("longer than 32 bytes");
    const key = new Uint8Array(32);
    key.set(bytes);
    return bytesToHex(key);
  },
};

/** A text that lines must contain. */
export const lineFilter: Codec<string> = {
  title: "filter",
  schema: { type: "string", maxLength: MAX_FILTER },
  decode(value) {
    const text = string.decode(value);
    if (text.length > MAX_FILTER) throw new CodecError(`too long: at most ${MAX_FILTER} characters`);
    return text;
  },
};
