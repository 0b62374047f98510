/** Owns what the key store needs of time. */

/** Time as the key store sees it; tests bring their own. */
export interface Clock {
  /** Milliseconds that only go forward, whatever happens to the date. */
  monotonicMs(): number;
  /** The date, for names of files. */
  date(): Date;
  /** Calls back once after `ms` milliseconds; the returned function takes it back. */
  after(ms: number, callback: () => void): () => void;
}

/** The clock of this machine. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  date: () => new Date(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
