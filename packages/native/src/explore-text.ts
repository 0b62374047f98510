/** Translation of requests that look into states, and of their outcomes. */

import type { ExploreOutcome, ExploreRequest } from "./boundary/explore.ts";
import { blockText } from "./shapes.ts";

/** JSON text of a request. */
export function exploreText(request: ExploreRequest): string {
  switch (request.kind) {
    case "dump":
    case "storageRange":
      return JSON.stringify({ ...request, block: blockText(request.block) });
    case "preimage":
      return JSON.stringify(request);
    case "modified":
    case "touching":
      return JSON.stringify({ ...request, from: blockText(request.from), to: blockText(request.to) });
  }
}

/** What a request came to. */
export function toExploreOutcome([code, json = ""]: readonly string[]): ExploreOutcome {
  switch (code) {
    case "ok":
      return { ok: true, json };
    case "unknown-block":
    case "unknown-transaction":
    case "too-large":
      return { ok: false, code };
    default:
      return { ok: false, code: "unknown" };
  }
}
