/**
 * The SQLite store in a thread of its own: while a commit waits for the disk, the event loop goes on serving. Carries
 * calls and answers; knows no table. Calls are carried out one after the other in the order they were made.
 */
import { isMainThread, type MessagePort, parentPort, Worker, workerData } from "node:worker_threads";
import type { Store } from "../store.ts";
import { CorruptStoreError } from "./columns.ts";
import { StoreLostError, StoreUnavailableError, StoreVersionError } from "./database.ts";
import { openSqliteStore } from "./sqlite-store.ts";

interface Call {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

interface Fault {
  readonly name: string;
  readonly message: string;
}

/** `opened` names the store's methods; the rest answer calls. */
type Message =
  | { readonly opened: readonly string[] }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number | undefined; readonly fault: Fault };

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Opens (or creates) the store in `file`. Rejects with `StoreVersionError` when a newer version wrote it. */
export async function openThreadedStore(file: string): Promise<Store> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { cairnStore: file } });
  const pending = new Map<number, Pending>();
  const opened = Promise.withResolvers<readonly string[]>();
  let ended: Error | undefined;
  const end = (error: Error): void => {
    ended ??= error;
    opened.reject(error);
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  };
  worker.on("message", (message: Message) => {
    if ("opened" in message) return opened.resolve(message.opened);
    if ("fault" in message && message.id === undefined) return end(errorOf(message.fault));
    if (message.id === undefined) return;
    const waiting = pending.get(message.id);
    pending.delete(message.id);
    if ("fault" in message) waiting?.reject(errorOf(message.fault));
    else waiting?.resolve(message.value);
  });
  worker.on("error", (error: Error) => end(new StoreLostError(`the store's thread failed: ${error.message}`)));
  worker.on("exit", () =>
    end(new StoreLostError("the store's thread ended, start again: what was acknowledged is there")),
  );
  let last = 0;
  const call = (method: string, args: readonly unknown[]): Promise<unknown> => {
    if (ended !== undefined) return Promise.reject(ended);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    last += 1;
    pending.set(last, { resolve, reject });
    worker.postMessage({ id: last, method, args } satisfies Call);
    return promise;
  };
  const store = remote<Store>(await opened.promise, call);
  const close = async (): Promise<void> => {
    try {
      if (ended === undefined) await store.close();
    } finally {
      end(new StoreUnavailableError("the store is closed"));
      await worker.terminate();
    }
  };
  return { ...store, close };
}

/** An object whose methods, named at runtime, are calls. */
function remote<T extends object>(
  names: readonly string[],
  call: (method: string, args: readonly unknown[]) => Promise<unknown>,
): T {
  return Object.fromEntries(names.map((name) => [name, (...args: unknown[]) => call(name, args)])) as T;
}

const ERRORS = { StoreUnavailableError, StoreVersionError, CorruptStoreError } as const;

function errorOf({ name, message }: Fault): Error {
  const Known = Object.hasOwn(ERRORS, name) ? ERRORS[name as keyof typeof ERRORS] : Error;
  return new Known(message);
}

function faultOf(error: unknown): Fault {
  return error instanceof Error ? { name: error.name, message: error.message } : { name: "Error", message: "unknown" };
}

/** The thread's side. */
function serve(port: MessagePort, file: string): void {
  let store: Store;
  try {
    store = openSqliteStore(file);
  } catch (error) {
    port.postMessage({ id: undefined, fault: faultOf(error) } satisfies Message);
    return;
  }
  const methods = new Map<string, (...args: never[]) => Promise<unknown>>(Object.entries(store));
  port.on("message", async ({ id, method, args }: Call) => {
    try {
      port.postMessage({ id, value: await methods.get(method)?.(...(args as never[])) } satisfies Message);
    } catch (error) {
      port.postMessage({ id, fault: faultOf(error) } satisfies Message);
    }
  });
  port.postMessage({ opened: Object.keys(store) } satisfies Message);
}

if (!isMainThread && parentPort !== null && typeof workerData?.cairnStore === "string") {
  serve(parentPort, workerData.cairnStore);
}
