/** Owns calling listeners: in order of their registration, one failing listener not touching the others. */
import type { Log } from "./log.ts";

/** Listeners of one kind of event. */
export interface Feed<T> {
  /** Adds a listener; the returned function removes it. */
  on(listener: (event: T) => void): () => void;
  publish(event: T): void;
  readonly size: number;
  clear(): void;
}

/** A feed without listeners. What a listener throws goes to `log`. */
export function createFeed<T>(name: string, log: Log): Feed<T> {
  const listeners = new Set<{ readonly call: (event: T) => void }>();
  return {
    on(listener) {
      const entry = { call: listener };
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
    publish(event) {
      for (const entry of listeners) {
        try {
          entry.call(event);
        } catch (error) {
          log.error({ feed: name, err: error }, "a listener failed");
        }
      }
    },
    get size() {
      return listeners.size;
    },
    clear: () => listeners.clear(),
  };
}
