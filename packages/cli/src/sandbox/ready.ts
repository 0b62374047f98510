/** What a running sandbox tells programs: the ready file, also kept as `sandbox.json` in its home. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Hex } from "@cairn/primitives";
import { CommandError, EXIT } from "../exit-code.ts";

/** Addresses and secrets of a sandbox, as the ready file has them. */
export interface Ready {
  readonly json_rpc_url: string;
  readonly json_rpc_ws_url: string;
  readonly consensus_rpc_url: string;
  readonly reader_url: string;
  readonly service_url: string;
  /** Credentials included. */
  readonly bitcoin_rpc_url: string;
  readonly service_token: string;
  readonly operator_token: string;
  readonly funded_private_key: Hex;
  readonly evm_chain_id: number;
  readonly jwt_secret_file: string;
  readonly home: string;
}

/** The default home of a sandbox, below the working directory. */
export const DEFAULT_SANDBOX_HOME = ".cairn-sandbox";

/** Path of the ready file inside a home. */
export function readyPath(home: string): string {
  return join(home, "sandbox.json");
}

/** The ready file of a home; undefined when no sandbox has run there. */
export function readReady(home: string): Ready | undefined {
  let text: string;
  try {
    text = readFileSync(readyPath(home), "utf8");
  } catch {
    return undefined;
  }
  try {
    return JSON.parse(text) as Ready;
  } catch {
    throw new CommandError(`${readyPath(home)} is damaged; start the sandbox again to rewrite it`, EXIT.usage);
  }
}
