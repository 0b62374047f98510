/** Owns the parameters of `debug` methods that read and write files and steer the process. */
import { type Codec, CodecError } from "./codec.ts";
import { number, string } from "./codecs.ts";

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
