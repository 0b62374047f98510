/** Where the reader's files are, from its flags: one home, or each by itself. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createAdapterOpener, parseReaderConfig, type ReaderConfig, ReaderConfigError } from "@cairn/reader";
import type { Command } from "commander";
import { CommandError, EXIT } from "../exit-code.ts";

/** Options of every reader command. */
export interface ReaderFileFlags {
  readonly home?: string;
  readonly config?: string;
  readonly stateDir?: string;
  readonly blockNumbersDir?: string;
  readonly address?: string;
  readonly metricsAddress?: string;
}

/** The flags of every reader command. */
export function addReaderFileFlags(command: Command): Command {
  return command
    .option("--home <dir>", "directory of reader.toml, block_numbers/ and reader/ (each can be named by itself)")
    .option("--config <file>", "TOML or JSON (default: reader.toml)")
    .option("--state-dir <dir>", "directory of the reader's own state (default: reader-state, with --home reader)");
}

/** The state directory. */
export function stateDirOf({ home, stateDir }: ReaderFileFlags): string {
  return stateDir ?? (home === undefined ? "reader-state" : join(home, "reader"));
}

/** The configuration's file; a sandbox's home has a `reader.json`. */
export function configFileOf({ home, config }: ReaderFileFlags): string {
  if (config !== undefined) return config;
  const file = join(home ?? ".", "reader.toml");
  const ofSandbox = join(home ?? ".", "reader.json");
  return !existsSync(file) && existsSync(ofSandbox) ? ofSandbox : file;
}

/** Opens adapters of `sdk` entries, looked up from the configuration's place. */
export function adaptersOf(flags: ReaderFileFlags): ReturnType<typeof createAdapterOpener> {
  return createAdapterOpener(modulesDirOf(flags));
}

/** Where modules of adapters are looked up. */
export function modulesDirOf(flags: ReaderFileFlags): string {
  return dirname(resolve(configFileOf(flags)));
}

/** Reads the configuration; flags win over its keys. Throws CommandError or ReaderConfigError. */
export function readReaderConfig(flags: ReaderFileFlags): ReaderConfig {
  const file = configFileOf(flags);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw new CommandError(`cannot read ${file}: name the file with --config`, EXIT.usage);
  }
  const config = parsed(text, flags);
  return { ...config, blockNumbersDir: blockNumbersDirOf(flags, config) };
}

function parsed(text: string, flags: ReaderFileFlags): ReaderConfig {
  try {
    return parseReaderConfig(text, flags);
  } catch (error) {
    if (error instanceof ReaderConfigError) throw new CommandError(error.message, EXIT.usage);
    throw error;
  }
}

function blockNumbersDirOf({ blockNumbersDir, home }: ReaderFileFlags, config: ReaderConfig): string {
  return blockNumbersDir ?? resolve(home ?? ".", config.blockNumbersDir);
}
