/** JSON of strangers: nesting is counted before anything is built from it. */
import { EndpointError } from "./endpoint-error.ts";

/** Deeper than any chain's blocks, shallow enough for every recursion. */
const MAX_DEPTH = 64;

/** Parses JSON of bounded depth. Throws EndpointError `not-json` or `too-deep`; `who` opens the message. */
export function parseBoundedJson(text: string, who: string): unknown {
  if (!isShallow(text)) throw new EndpointError("too-deep", `${who} answered with JSON nested beyond ${MAX_DEPTH}`);
  try {
    return JSON.parse(text);
  } catch {
    throw new EndpointError("not-json", `${who} did not answer with JSON`);
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

function isShallow(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const c = text.charCodeAt(i);
    if (quoted) {
      if (c === BACKSLASH) i += 1;
      else if (c === QUOTE) quoted = false;
    } else if (c === QUOTE) quoted = true;
    else if (OPENING.has(c)) {
      depth += 1;
      if (depth > MAX_DEPTH) return false;
    } else if (CLOSING.has(c)) depth -= 1;
  }
  return true;
}
