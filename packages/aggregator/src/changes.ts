/** Telling waiting readers that something durable changed. Holds no state of submissions. */

/** Change notices inside one process. */
export interface Changes {
  /** After a commit that changed submissions. */
  notify(): void;
  /** Notices so far. */
  count(): number;
  /**
   * Resolves true at the next notice, at once where there were others than `since`; false after `timeoutMs` or when
   * `signal` aborts.
   */
  next(timeoutMs: number, signal?: AbortSignal, since?: number): Promise<boolean>;
  /** Lets all waiters go. */
  close(): void;
}

/** Makes an empty notice board. */
export function createChanges(): Changes {
  const waiters = new Set<(changed: boolean) => void>();
  const release = (changed: boolean): void => {
    const released = [...waiters];
    waiters.clear();
    for (const waiter of released) waiter(changed);
  };
  let closed = false;
  let count = 0;
  return {
    notify: () => {
      count += 1;
      release(true);
    },
    count: () => count,
    next: (timeoutMs, signal, since = count) => {
      if (closed || signal?.aborted === true || timeoutMs <= 0) return Promise.resolve(false);
      if (since !== count) return Promise.resolve(true);
      return new Promise((resolve) => {
        const finish = (changed: boolean): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
          waiters.delete(finish);
          resolve(changed);
        };
        const onAbort = (): void => finish(false);
        const timer = setTimeout(() => finish(false), timeoutMs);
        signal?.addEventListener("abort", onAbort, { once: true });
        waiters.add(finish);
      });
    },
    close: () => {
      closed = true;
      release(false);
    },
  };
}
