/** A reader over servers of its own, on a temporary directory that goes away with the test. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type ReaderMode, validateReaderConfig } from "../config/config.ts";
import { type RunningReader, startReader } from "../reader.ts";
import { type ChainServer, startChainServer } from "./chain-server.ts";
import { type DoorServer, startDoorServer } from "./door-server.ts";

/** A line of the log. */
export interface Line {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A reader between a chain and a door, in a directory of its own. */
export interface ReaderScene {
  readonly chain: ChainServer;
  readonly door: DoorServer;
  readonly dir: string;
  readonly log: readonly Line[];
  /** Another chain server, closed with the test. */
  another(chainId?: number): Promise<ChainServer>;
  /** An entry that reads `chain` quickly and from its first block on. */
  entry(options?: object, url?: string): readonly unknown[];
  /** Starts with these entries, one over `chain` when none are given. */
  start(mode: ReaderMode, entries?: readonly unknown[], more?: object): Promise<RunningReader>;
}

/** A scene with a chain of one block. */
export async function readerScene(t: TestContext): Promise<ReaderScene> {
  const chain = await startChainServer();
  const door = await startDoorServer();
  const dir = mkdtempSync(join(tmpdir(), "reader-"));
  const log: Line[] = [];
  const open: { close(): Promise<void> }[] = [chain, door];
  t.after(async () => {
    for (const one of open.reverse()) await one.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const write = (level: Line["level"]) => (fields: object, message: string) =>
    void log.push({ level, fields: { ...fields }, message });
  const entry: ReaderScene["entry"] = (options = {}, url = chain.url) => {
    const quick = { poll_ms: 50, request_pause_ms: 0, start: 0, ...options };
    return ["rpc", "dev", 31_337, url, "eth_getBlockByNumber", "", null, quick];
  };
  return {
    chain,
    door,
    dir,
    log,
    entry,
    async another(chainId) {
      const made = await startChainServer(chainId);
      open.push(made);
      return made;
    },
    async start(mode, entries = [entry()], more = {}) {
      const config = validateReaderConfig({
        service_url: door.url,
        service_token: "token-for-tests",
        address: "127.0.0.1:0",
        block_numbers_dir: join(dir, "block_numbers"),
        block_fetch_params: entries,
        ...more,
      });
      const lines = { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
      const reader = await startReader({ config, mode, stateDir: join(dir, "state"), log: lines });
      let closed: Promise<void> | undefined;
      const once = { ...reader, close: () => (closed ??= reader.close()) };
      open.push(once);
      return once;
    },
  };
}
