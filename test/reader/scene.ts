/** A reader over a list of entries, on temporary directories and a door of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type ReaderMode, type RunningReader, startReader, validateReaderConfig } from "@cairn/reader";
import { type Door, startDoor } from "./door.ts";

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

export interface Scene {
  readonly door: Door;
  readonly dir: string;
  config(entries: readonly unknown[]): object;
  start(entries: readonly unknown[], mode?: ReaderMode): Promise<RunningReader>;
}

/** Options for quick cycles. */
export const QUICK = { poll_ms: 50, request_pause_ms: 0, start: 0 };

/** A scene that is cleared away at the test's end. */
export async function scene(t: TestContext): Promise<Scene> {
  const door = await startDoor();
  const dir = mkdtempSync(join(tmpdir(), "cairn-reader-"));
  const readers: RunningReader[] = [];
  t.after(async () => {
    for (const reader of readers) await reader.close();
    await door.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const config = (entries: readonly unknown[]) => ({
    service_url: door.url,
    service_token: "token-for-tests",
    address: "127.0.0.1:0",
    block_numbers_dir: join(dir, "block_numbers"),
    block_fetch_params: entries,
  });
  return {
    door,
    dir,
    config,
    async start(entries, mode = "LOOP") {
      const checked = validateReaderConfig(config(entries));
      const reader = await startReader({ config: checked, mode, stateDir: join(dir, "state"), log: SILENT });
      // Closing twice is allowed to tests that restart.
      let closed: Promise<void> | undefined;
      const once = { ...reader, close: () => (closed ??= reader.close()) };
      readers.push(once);
      return once;
    },
  };
}
