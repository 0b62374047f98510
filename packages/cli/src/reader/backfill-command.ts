/** `cairn reader backfill`: a range of an entry's past, without moving its cursor. */
import { type BackfillProgress, backfill, parseBlockNumber } from "@cairn/reader";
import type { Command } from "commander";
import { CommandError, EXIT } from "../exit-code.ts";
import { addEnding, type Ending } from "../help-ending.ts";
import { createLog } from "../log.ts";
import { adaptersOf, addReaderFileFlags, type ReaderFileFlags, readReaderConfig, stateDirOf } from "./reader-files.ts";

interface BackfillFlags extends ReaderFileFlags {
  readonly json?: boolean;
}

const ENDING: Ending = {
  examples: [
    "cairn reader backfill linea 20000000 20010000 --config reader.toml",
    "cairn reader backfill mychain 0x0 0x3e8 --json",
    "cairn reader backfill contract:linea 1 500  # the contract entry of a name used twice",
  ],
  notes: [
    "FROM and TO are both read, in decimal or 0x-hex; TO may not be newer than the entry's finality rule allows. The cursor",
    "stays where it is, what was submitted before is not charged again, and a reader may be running meanwhile. Interrupted,",
    "even by kill -9, the same command goes on where it was.",
    "",
  ],
  codes: "0 done, 1 failed or interrupted, 2 wrong usage or configuration",
};

/** Adds the command below `reader`. */
export function addBackfillCommand(reader: Command): void {
  const command = addReaderFileFlags(reader.command("backfill"))
    .description("read a range of an entry's past")
    .argument("<entry>", "name of the entry; contract:<name> for a contract entry of a name used twice")
    .argument("<from>", "first height")
    .argument("<to>", "last height")
    .option("--json", "print a JSON object at the end")
    .action((entry, from, to) => run(entry, from, to, command.optsWithGlobals()));
  addEnding(command, ENDING);
}

async function run(entry: string, from: string, to: string, flags: BackfillFlags): Promise<void> {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once("SIGINT", onSignal);
  process.once("SIGTERM", onSignal);
  try {
    const done = await backfill({
      config: readReaderConfig(flags),
      entry,
      from: height(from, "FROM"),
      to: height(to, "TO"),
      stateDir: stateDirOf(flags),
      openAdapter: adaptersOf(flags),
      onProgress: process.stderr.isTTY ? drawProgress : () => {},
      log: createLog("warn"),
      signal: stop.signal,
    });
    if (process.stderr.isTTY) process.stderr.write("\n");
    process.stdout.write(flags.json === true ? jsonOf(done) : textOf(done));
  } catch (error) {
    if (stop.signal.aborted) throw new CommandError("interrupted; run the same command again to go on");
    throw error;
  } finally {
    process.removeListener("SIGINT", onSignal);
    process.removeListener("SIGTERM", onSignal);
  }
}

function height(text: string, name: string): bigint {
  const parsed = parseBlockNumber(text);
  if (parsed === undefined) throw new CommandError(`${name}: expected a height in decimal or 0x-hex`, EXIT.usage);
  return parsed;
}

const BAR = 30;

function drawProgress({ from, to, next, submitted, known, dead }: BackfillProgress): void {
  const share = Number(((next - from) * 1000n) / (to - from + 1n)) / 1000;
  const bar = "#".repeat(Math.round(share * BAR)).padEnd(BAR, ".");
  const counts = `${submitted} submitted, ${known} known, ${dead} dead`;
  process.stderr.write(`\r[${bar}] ${(share * 100).toFixed(1)} %  block ${next - 1n}  ${counts}`);
}

function textOf({ from, to, submitted, known, dead }: BackfillProgress): string {
  const look = dead === 0 ? "" : " (cairn reader audit)";
  return `blocks ${from} to ${to}: ${submitted} submitted, ${known} known before, ${dead} dead letters${look}\n`;
}

function jsonOf({ from, to, submitted, known, dead }: BackfillProgress): string {
  return `${JSON.stringify({ from: `${from}`, to: `${to}`, submitted, known, dead })}\n`;
}
