/**
 * Owns keeping finished JSON texts of what never changes (committed blocks are final), the most lately used within a
 * bound of characters. Not what the texts are.
 */

/** Texts by key. */
export interface TextCache {
  /** The kept text, else the one that `make` gives; a null is not kept. */
  get(key: string, make: () => Promise<string | null> | string | null): Promise<string | null> | string;
}

/** A cache of at most `maxChars` characters in all; a text above a sixteenth of that is not kept. */
export function createTextCache(maxChars: number): TextCache {
  const texts = new Map<string, string>();
  let chars = 0;
  const keep = (key: string, text: string): void => {
    if (text.length > maxChars / 16 || texts.has(key)) return;
    texts.set(key, text);
    chars += text.length;
    for (const [oldest, old] of texts) {
      if (chars <= maxChars) break;
      texts.delete(oldest);
      chars -= old.length;
    }
  };
  return {
    get(key, make) {
      const kept = texts.get(key);
      if (kept !== undefined) {
        // Last in the map is the most lately used.
        texts.delete(key);
        texts.set(key, kept);
        return kept;
      }
      return Promise.resolve(make()).then((text) => {
        if (text !== null) keep(key, text);
        return text;
      });
    },
  };
}
