/**
 * A sandbox's home: made at the first start, opened later. Keys come first and the genesis last, so an interrupted
 * first start is completed by the next one.
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { initNodeHome, NAMESPACES, SANDBOX_ACCOUNTS, SANDBOX_BALANCE_WEI } from "@cairn/node";
import { hexToBytes } from "@cairn/primitives";
import { createApiKey, settlerAddress } from "@cairn/service";
import { readOrCreate } from "../durable-file.ts";
import { CommandError } from "../exit-code.ts";
import { FUNDED_ACCOUNT } from "./funded-account.ts";
import { LOOPBACK, sandboxPorts } from "./ports.ts";

/** A sandbox's home with its secrets. */
export interface SandboxHome {
  readonly dir: string;
  /** Signs the settlement transactions; 32 bytes. */
  readonly settlerKey: Uint8Array;
  /** Signs the Bitcoin anchors; 32 bytes. */
  readonly anchorKey: Uint8Array;
  readonly serviceToken: string;
  /** The reader's own: no rate limits it. */
  readonly readerToken: string;
}

const SETTLER_BALANCE_WEI = 1_000_000n * 10n ** 18n;

/** Opens a home, completing it first where needed. */
export async function openSandboxHome(dir: string): Promise<SandboxHome> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const settlerKey = readKey(join(dir, "service/settler.key"));
  const home: SandboxHome = {
    dir,
    settlerKey,
    anchorKey: readKey(join(dir, "service/anchor.key")),
    serviceToken: readToken(join(dir, "config/sandbox.token")),
    readerToken: readToken(join(dir, "config/reader.token")),
  };
  if (!existsSync(join(dir, "config/genesis.json"))) {
    requireUnused(dir);
    await initSandboxChain(dir, settlerKey);
  }
  return home;
}

/** A chain without its genesis cannot be continued, and a new genesis would not fit it. */
function requireUnused(dir: string): void {
  if (!existsSync(join(dir, "data/state"))) return;
  throw new CommandError(`${dir} holds a chain but config/genesis.json is missing: restore it, or name another --home`);
}

function readToken(path: string): string {
  return readOrCreate(path, () => createApiKey("sandbox", randomBytes).text);
}

function readKey(path: string): Uint8Array {
  return hexToBytes(readOrCreate(path, () => `0x${randomBytes(32).toString("hex")}`));
}

async function initSandboxChain(dir: string, settlerKey: Uint8Array): Promise<void> {
  const balances = Object.fromEntries(SANDBOX_ACCOUNTS.map((account) => [account, SANDBOX_BALANCE_WEI]));
  await initNodeHome({
    home: dir,
    balances: { ...balances, [settlerAddress(settlerKey)]: SETTLER_BALANCE_WEI },
    allowUnprotectedTxs: true,
    // The owner is the first of the balances: a publicly known account.
    operatorKey: hexToBytes(FUNDED_ACCOUNT.privateKey),
    config: {
      "json-rpc.ws-address": { host: LOOPBACK, port: sandboxPorts(0).jsonRpcWs },
      "json-rpc.api": NAMESPACES,
      "json-rpc.allow-unprotected-txs": true,
    },
  });
}
