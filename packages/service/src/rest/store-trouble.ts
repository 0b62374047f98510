/** How loud a refusal for the store's sake is: a full disk refuses every request, and the log stays readable. */

/** Levels of one trouble after the other. */
export interface StoreTrouble {
  /** Of the refusal now: `error` once in a while, `debug` in between. */
  level(): "error" | "debug";
}

const EVERY_MS = 60_000;

/** Starts quiet: the first refusal is loud. */
export function createStoreTrouble(now: () => number): StoreTrouble {
  let toldAt = Number.NEGATIVE_INFINITY;
  return {
    level: () => {
      if (now() - toldAt < EVERY_MS) return "debug";
      toldAt = now();
      return "error";
    },
  };
}
