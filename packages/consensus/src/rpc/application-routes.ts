/** Routes that ask the application: broadcasting into its pool, and its own answers, in CometBFT's JSON. */
import type { AbciApplication } from "@cairn/abci";
import { bytesToUpperHex } from "@cairn/comet";
import { platformSha256 } from "../platform-sha256.ts";
import type { TxCache } from "../tx-cache.ts";
import { RouteFailure } from "./results.ts";

/** What the RPC asks of the application. */
export type AskedApplication = Pick<AbciApplication, "checkTx" | "info" | "query">;

function nullableBase64(bytes: Uint8Array): string | null {
  return bytes.length === 0 ? null : Buffer.from(bytes).toString("base64");
}

/** What broadcasting works on. */
export interface BroadcastContext {
  readonly app: AskedApplication;
  readonly txCache: TxCache;
}

/** CheckTx of a transaction that was not handed in before; the cache forgets what is refused. */
async function check({ app, txCache }: BroadcastContext, tx: Uint8Array) {
  const answer = await app.checkTx({ tx, type: "new" });
  if (answer.code !== 0) txCache.remove(tx);
  return answer;
}

function enter({ txCache }: BroadcastContext, tx: Uint8Array): void {
  if (!txCache.add(tx)) throw new RouteFailure("tx already exists in cache");
}

/** `broadcast_tx_sync`: what CheckTx says; a refusal is a result. */
export async function broadcastSyncResult(context: BroadcastContext, tx: Uint8Array): Promise<string> {
  enter(context, tx);
  const { code, data, log, codespace } = await check(context, tx);
  return JSON.stringify({
    code,
    data: bytesToUpperHex(data),
    log,
    codespace,
    hash: bytesToUpperHex(platformSha256(tx)),
  });
}

/** `broadcast_tx_async`: answered before CheckTx, whose outcome nobody sees. */
export function broadcastAsyncResult(context: BroadcastContext, tx: Uint8Array): string {
  enter(context, tx);
  check(context, tx).catch(() => undefined);
  return JSON.stringify({ code: 0, data: "", log: "", codespace: "", hash: bytesToUpperHex(platformSha256(tx)) });
}

/** `abci_info`; empty members are left out. */
export async function abciInfoResult(app: AskedApplication, version: string): Promise<string> {
  const info = await app.info({ version, blockVersion: 11n, p2pVersion: 8n, abciVersion: "2.0.0" });
  return JSON.stringify({
    response: {
      data: info.data || undefined,
      version: info.version || undefined,
      app_version: info.appVersion === 0n ? undefined : String(info.appVersion),
      last_block_height: info.lastBlockHeight === 0n ? undefined : String(info.lastBlockHeight),
      last_block_app_hash: nullableBase64(info.lastBlockAppHash) ?? undefined,
    },
  });
}

/** Arguments of `abci_query`. */
export interface AbciQuery {
  readonly path: string;
  readonly data: Uint8Array;
  readonly height: bigint;
  readonly prove: boolean;
}

/** `abci_query`. */
export async function abciQueryResult(app: AskedApplication, query: AbciQuery): Promise<string> {
  const { code, log, info, index, key, value, height, codespace } = await app.query(query);
  return JSON.stringify({
    response: {
      code,
      log,
      info,
      index: String(index),
      key: nullableBase64(key),
      value: nullableBase64(value),
      proofOps: null,
      height: String(height),
      codespace,
    },
  });
}
