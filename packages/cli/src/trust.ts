/** Where `cairn verify` takes trust from: files and hashes the user names, a Bitcoin node, or a sandbox's home. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type BestChainAnswer,
  type BitcoinCheckpoint,
  type Receipt,
  type Trust,
  validatorSetHash,
} from "@cairn/proofs";
import { askBitcoinNode, askStoppedRegtest } from "@cairn/service";
import { sandboxOf } from "./connection.ts";
import { CommandError, EXIT } from "./exit-code.ts";

/** Options of `cairn verify` that name trust roots. */
export interface TrustFlags {
  readonly trust?: readonly string[];
  readonly bitcoinNode?: string;
  readonly checkpoint?: string;
  readonly home?: string;
}

/** The trust roots that were found. */
export interface GatheredTrust {
  readonly trust: Trust;
  /** What could not be asked, one line each. */
  readonly notes: readonly string[];
}

/** Collects the trust roots; `receipt` says which Bitcoin height is to be asked for. */
export async function gatherTrust(flags: TrustFlags, receipt: Receipt | undefined): Promise<GatheredTrust> {
  const notes: string[] = [];
  const named = (flags.trust ?? []).map(readTrust);
  const home = named.length === 0 ? homeValidators(flags) : [];
  const bitcoin = await bitcoinTrust(flags, receipt, notes);
  const hashes = [...named, ...home];
  return {
    trust: {
      ...(hashes.length === 0 ? {} : { validatorsHashes: hashes, blockHashes: hashes }),
      ...(bitcoin === undefined ? {} : { bitcoin }),
    },
    notes,
  };
}

/** A 32-byte hash as it is, or the hash of the validator set in a file. */
function readTrust(value: string): string {
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(value)) return value;
  try {
    return validatorSetHash(JSON.parse(readFileSync(value, "utf8")));
  } catch {
    throw new CommandError(`--trust ${value}: neither a 32-byte hash nor a file that lists validators`, EXIT.usage);
  }
}

function homeValidators(flags: TrustFlags): readonly string[] {
  const genesis = join(sandboxOf(flags).home, "config/genesis.json");
  return existsSync(genesis) ? [readTrust(genesis)] : [];
}

async function bitcoinTrust(
  flags: TrustFlags,
  receipt: Receipt | undefined,
  notes: string[],
): Promise<BestChainAnswer | BitcoinCheckpoint | undefined> {
  if (flags.checkpoint !== undefined) return parseCheckpoint(flags.checkpoint);
  const anchor = receipt?.anchor;
  if (anchor === undefined || anchor === null) return undefined;
  try {
    if (flags.bitcoinNode !== undefined) return await askBitcoinNode(flags.bitcoinNode, anchor.height);
    return anchor.network === "regtest" ? await askSandbox(flags, anchor.height) : undefined;
  } catch (error) {
    notes.push(`the Bitcoin node could not be asked: ${error instanceof Error ? error.message : "unknown failure"}`);
    return undefined;
  }
}

/** The running sandbox's regtest, or the one a stopped sandbox left behind. */
async function askSandbox(flags: TrustFlags, height: number): Promise<BestChainAnswer | undefined> {
  const { home, ready } = sandboxOf(flags);
  if (ready === undefined) return undefined;
  try {
    return await askBitcoinNode(ready.bitcoin_rpc_url, height);
  } catch {
    return askStoppedRegtest(home, height);
  }
}

function parseCheckpoint(text: string): BitcoinCheckpoint {
  const [, height, hash] = /^(\d{1,9}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (height === undefined || hash === undefined) {
    throw new CommandError("--checkpoint: expected HEIGHT:HASH with 64 hex digits", EXIT.usage);
  }
  return { kind: "checkpoint", height: Number(height), hash };
}
