/**
 * An engine with the ledger in a process of its own, to be killed or starved by a test: `engine-child.ts ROOT`. Every
 * proposal has fresh random transactions, so that a block made twice would differ.
 */
import { randomBytes, randomInt } from "node:crypto";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createEmbeddedEngine } from "../engine.ts";
import { ConsensusError } from "../errors.ts";
import { createLedgerApp } from "./ledger-app.ts";
import { homeIn, QUIET } from "./test-home.ts";

const root = process.argv[2] ?? "";
const { home, appDir } = homeIn(root);
const select = (): Uint8Array[] => Array.from({ length: randomInt(20) }, () => new Uint8Array(randomBytes(200)));
const app = createLedgerApp({ dir: appDir, select });
const engine = await createEmbeddedEngine({ home, app, blockIntervalMs: 1, log: QUIET });
engine.onBlock(({ height, hash }) => {
  appendFileSync(join(root, "committed.log"), `${height} ${Buffer.from(hash).toString("hex")}\n`);
  process.stdout.write("block\n");
});
engine.failed.catch(async (error: unknown) => {
  await engine.close();
  process.stdout.write(`failed ${error instanceof ConsensusError ? error.code : "?"} at ${engine.latestHeight()}\n`);
});
engine.start();
process.stdout.write("running\n");
