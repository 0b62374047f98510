/**
 * What was read of a file, until the file changes. The revision is asked on every read, so that what another process
 * has committed is seen by the next one. Owns no file.
 */

/** Values by key, read again after the file has changed. */
export interface RevisionCache<T> {
  get(key: string): T | undefined;
  /** Forgets everything: the own connection has changed the file, which its revision does not tell. */
  clear(): void;
}

const MAX_ENTRIES = 10_000;

/** Makes a cache; what `read` does not find is not remembered. */
export function createRevisionCache<T>(o: {
  readonly revision: () => number;
  readonly read: (key: string) => T | undefined;
  readonly maxEntries?: number;
}): RevisionCache<T> {
  const known = new Map<string, T>();
  const { maxEntries = MAX_ENTRIES } = o;
  let seen = Number.NaN;
  return {
    get: (key) => {
      // Asked before the value is read: a change in between makes the next read a fresh one.
      const revision = o.revision();
      if (revision !== seen || known.size >= maxEntries) known.clear();
      seen = revision;
      const found = known.get(key) ?? o.read(key);
      if (found !== undefined) known.set(key, found);
      return found;
    },
    clear: () => known.clear(),
  };
}
