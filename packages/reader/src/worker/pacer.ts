/** Waiting that an event can cut short. */
export interface Pacer {
  /** Resolves after `ms`, at `wake()`, or when the signal aborts, whichever comes first. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Ends the wait in progress, or makes the next one end at once. */
  wake(): void;
}

/** A pacer for one waiting party. */
export function createPacer(): Pacer {
  let awake = false;
  let end: (() => void) | undefined;
  return {
    wait(ms, signal) {
      return new Promise((resolve) => {
        if (awake || signal.aborted) {
          awake = false;
          resolve();
          return;
        }
        const finish = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", finish);
          end = undefined;
          awake = false;
          resolve();
        };
        const timer = setTimeout(finish, ms);
        signal.addEventListener("abort", finish);
        end = finish;
      });
    },
    wake() {
      awake = true;
      end?.();
    },
  };
}
