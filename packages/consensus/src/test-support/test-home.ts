/** Homes on temporary directories, and waiting for a running engine. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publicKeyToJson } from "@cairn/comet";
import type { EmbeddedEngine } from "../engine.ts";
import type { CometGenesis } from "../genesis.ts";
import { type EngineHome, initHome } from "../home.ts";
import type { Log } from "../log.ts";

/** A logger that keeps nothing. */
export const QUIET: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A home and, beside it, a directory for the application. */
export interface TestHome {
  readonly home: EngineHome;
  readonly appDir: string;
}

/** Paths of a home in a directory. */
export function homeIn(root: string): TestHome {
  return {
    home: {
      genesisFile: join(root, "config", "genesis.json"),
      privValidatorKeyFile: join(root, "config", "priv_validator_key.json"),
      privValidatorStateFile: join(root, "data", "priv_validator_state.json"),
      nodeKeyFile: join(root, "config", "node_key.json"),
      dataDir: join(root, "data"),
    },
    appDir: join(root, "app"),
  };
}

/** A new home with one validator of power 10, for the genesis members a test wants. */
export async function createTestHome(genesis: Partial<CometGenesis> = {}): Promise<TestHome> {
  const root = mkdtempSync(join(tmpdir(), "cairn-consensus-"));
  process.once("exit", () => rmSync(root, { recursive: true, force: true }));
  const paths = homeIn(root);
  mkdirSync(paths.appDir);
  await initHome({
    home: paths.home,
    genesis: ({ pubKey }) => ({
      genesis_time: "2026-01-02T03:04:05.678901234Z",
      chain_id: "ledger-1",
      validators: [{ pub_key: publicKeyToJson(pubKey), power: "10", name: "" }],
      app_state: { note: "ledger" },
      ...genesis,
    }),
  });
  return paths;
}

/** Resolves when a height is committed; rejects when the engine halts or after ten seconds. */
export async function reached(engine: EmbeddedEngine, height: bigint): Promise<void> {
  if (engine.latestHeight() >= height) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = engine.onBlock((event) => {
    if (event.height >= height) resolve();
  });
  const timer = setTimeout(() => reject(new Error(`height ${height} not reached`)), 10_000);
  try {
    await Promise.race([promise, engine.failed]);
  } finally {
    clearTimeout(timer);
    stop();
  }
}
