/**
 * Owns doing long work bit by bit: one job after the other, a few milliseconds per turn of the event loop, so that
 * calls are answered meanwhile. What the work is, is the caller's.
 *
 *   idle --add--> running (its first slice at once) --done--> idle
 *   running --add, room--> running (the job waits its turn)
 *   running --add, no room--> running (refused)
 */

/** Work that stops at each `yield`. */
export type Steps = Iterator<void, void, void>;

/** Jobs in their order. */
export interface TimeSlices {
  /** Runs a job after those before it; `false` when too many wait. What a job throws ends that job alone. */
  add(begin: () => Steps | Promise<Steps>): boolean;
}

/** Longest time on the event loop at once. */
const SLICE_MS = 5;

/** Runs a slice; whether the work is done. */
function advance(steps: Steps, clock: () => number): boolean {
  const endMs = clock() + SLICE_MS;
  do {
    if (steps.next().done === true) return true;
  } while (clock() < endMs);
  return false;
}

/** A queue with room for `mostWaiting` jobs. `clock` in milliseconds. */
export function createTimeSlices(mostWaiting: number, clock: () => number = () => performance.now()): TimeSlices {
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();

  const finish = (steps: Steps): Promise<void> =>
    new Promise((resolve, reject) => {
      const turn = (): void => {
        try {
          if (advance(steps, clock)) resolve();
          else setImmediate(turn);
        } catch (error) {
          reject(error);
        }
      };
      setImmediate(turn);
    });

  const queue = (run: () => Promise<void>): void => {
    waiting++;
    last = last
      .then(run)
      // A job whose source is gone (the database closing under a read) has nobody left to tell.
      .catch(() => undefined)
      .finally(() => waiting--);
  };

  return {
    add(begin) {
      if (waiting >= mostWaiting) return false;
      if (waiting > 0) {
        queue(async () => finish(await begin()));
        return true;
      }
      const steps = begin();
      if (steps instanceof Promise) queue(async () => finish(await steps));
      else if (!advance(steps, clock)) queue(() => finish(steps));
      return true;
    },
  };
}
