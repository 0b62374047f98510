/** Owns that costly work (key derivation takes 256 MiB) runs one piece after the other and that few pieces wait. */
import { KeystoreError } from "./keystore-error.ts";

/** Runs tasks one at a time, in order. Rejects with `busy` when too many wait. */
export type WorkQueue = <T>(task: () => Promise<T>) => Promise<T>;

/** A queue in which at most `most` tasks wait or run. */
export function createWorkQueue(most: number): WorkQueue {
  let last: Promise<unknown> = Promise.resolve();
  let open = 0;
  return (task) => {
    if (open >= most) {
      return Promise.reject(new KeystoreError("busy", "too many requests for the key store: try again later"));
    }
    open += 1;
    const done = last.then(task).finally(() => {
      open -= 1;
    });
    last = done.catch(() => undefined);
    return done;
  };
}
