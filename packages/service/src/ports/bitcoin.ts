/** The Bitcoin side of the service: the embedded regtest or another node, the anchor wallet, its first coin. */
import { join } from "node:path";
import type { AnchorCoin, AnchorPort, Log } from "@cairn/aggregator";
import { createAnchorWallet, createBitcoinRpc, createRegtest, type Regtest } from "@cairn/bitcoin-node";
import type { ServiceOptions } from "../options.ts";
import { createAnchorPort } from "./anchor-port.ts";

/** An open Bitcoin side. */
export interface BitcoinSide {
  readonly port: AnchorPort;
  /** With credentials. */
  readonly url: string;
  /** Present with the embedded node. */
  readonly regtest: Regtest | undefined;
  close(): Promise<void>;
}

const FIRST_COIN_SAT = 100_000_000n;
const RPC_TIMEOUT_MS = 10_000;
const REGTEST_USER = "cairn";

/** Opens the Bitcoin side. */
export async function openBitcoin(
  o: Pick<ServiceOptions, "home" | "bitcoin" | "anchorKey" | "log">,
): Promise<BitcoinSide> {
  return o.bitcoin.kind === "embedded" ? openEmbedded(o, o.bitcoin) : openRemote(o.anchorKey, o.bitcoin);
}

async function openEmbedded(
  o: { readonly home: string; readonly anchorKey: Uint8Array; readonly log: Log },
  bitcoin: Extract<ServiceOptions["bitcoin"], { kind: "embedded" }>,
): Promise<BitcoinSide> {
  const regtest = await createRegtest({
    dir: join(o.home, "bitcoin"),
    host: bitcoin.host,
    port: bitcoin.port,
    blockIntervalMs: bitcoin.blockIntervalMs,
    user: REGTEST_USER,
    password: REGTEST_USER,
    log: o.log,
  });
  const wallet = createAnchorWallet({ privateKey: o.anchorKey, network: "regtest" });
  const funding = async (): Promise<AnchorCoin> => {
    const coin = await regtest.fundAddress(wallet.address, FIRST_COIN_SAT);
    await regtest.mine(1);
    return { ...coin, valueSat: Number(coin.valueSat) };
  };
  const rpc = createBitcoinRpc({ url: regtest.url, timeoutMs: RPC_TIMEOUT_MS });
  const port = createAnchorPort({ rpc, wallet, network: "regtest", funding });
  return { port, url: regtest.url, regtest, close: () => regtest.close() };
}

async function openRemote(
  anchorKey: Uint8Array,
  bitcoin: Extract<ServiceOptions["bitcoin"], { kind: "rpc" }>,
): Promise<BitcoinSide> {
  const [url] = bitcoin.urls;
  if (url === undefined) throw new TypeError("a Bitcoin node's URL is needed");
  const rpc = createBitcoinRpc({ url, timeoutMs: RPC_TIMEOUT_MS });
  const wallet = createAnchorWallet({ privateKey: anchorKey, network: bitcoin.network });
  const funding = async (): Promise<AnchorCoin | undefined> => {
    for (const { txid, vout } of bitcoin.funding ?? []) {
      const out = await rpc.getTxOut(txid, vout, false);
      if (out !== null && out.confirmations > 0) return { txid, vout, valueSat: Number(out.valueSat) };
    }
    return undefined;
  };
  const port = createAnchorPort({ rpc, wallet, network: bitcoin.network, funding });
  return { port, url, regtest: undefined, close: async () => {} };
}
