/** The Bitcoin side of the service: the embedded regtest or other nodes, checked; the anchor wallet and its coins. */
import { join } from "node:path";
import type { AnchorCoin } from "@cairn/aggregator";
import {
  type AnchorSigner,
  type ChainViewStatus,
  createAnchorWallet,
  createBitcoinRpc,
  createChainView,
  createKeySigner,
  createPsbtSigner,
  createRegtest,
  findCoins,
  type Regtest,
} from "@cairn/bitcoin-node";
import type { BitcoinOptions, NetworkName, ServiceOptions } from "../options.ts";
import { type AnchorFees, type BitcoinPort, createAnchorPort } from "./anchor-port.ts";
import { commandExchange, httpExchange } from "./psbt-exchange.ts";

/** An open Bitcoin side. */
export interface BitcoinSide {
  readonly port: BitcoinPort;
  /** What an operator funds. */
  readonly address: string;
  /** With credentials. */
  readonly url: string;
  /** Present with the embedded node. */
  readonly regtest: Regtest | undefined;
  /** What the node's chain looked like last; undefined before the first look. */
  status(): ChainViewStatus | undefined;
  close(): Promise<void>;
}

type SideOptions = Pick<
  ServiceOptions,
  "home" | "bitcoin" | "anchorKey" | "externalSigner" | "fees" | "policy" | "log"
> &
  ClosingPart;

interface ClosingPart {
  /** The service closes: nobody waits for an external signer any more. */
  readonly signal?: AbortSignal;
}

/** Fees where the options say nothing. */
export const DEFAULT_FEES: AnchorFees = { targetBlocks: 6, fallbackRate: 2, capRate: 100, capSat: 50_000, runway: 30 };

const FIRST_COIN_SAT = 100_000_000n;
const RPC_TIMEOUT_MS = 10_000;
/** Bitcoin Core's scan of the UTXO set. */
const SCAN_TIMEOUT_MS = 600_000;
/** A wallet running dry is searched for coins no more often. */
const COIN_SEARCH_MS = 60_000;
const EMPTY_SEARCH_MS = 2_000;
const REGTEST_USER = "cairn";

/** Opens the Bitcoin side. */
export async function openBitcoin(o: SideOptions): Promise<BitcoinSide> {
  return o.bitcoin.kind === "embedded" ? openEmbedded(o, o.bitcoin) : openRemote(o, o.bitcoin);
}

async function openEmbedded(
  o: SideOptions,
  bitcoin: Extract<BitcoinOptions, { kind: "embedded" }>,
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
  const signer = anchorSigner(o, "regtest");
  const faucet = async (): Promise<AnchorCoin> => {
    const coin = await regtest.fundAddress(signer.address, FIRST_COIN_SAT);
    await regtest.mine(1);
    return { ...coin, valueSat: Number(coin.valueSat) };
  };
  const side = connect(o, signer, { network: "regtest", urls: [regtest.url], faucet });
  return { ...side, url: regtest.url, regtest, close: () => regtest.close() };
}

async function openRemote(o: SideOptions, bitcoin: Extract<BitcoinOptions, { kind: "rpc" }>): Promise<BitcoinSide> {
  const [url] = bitcoin.urls;
  if (url === undefined) throw new TypeError("a Bitcoin node's URL is needed");
  const side = connect(o, anchorSigner(o, bitcoin.network), bitcoin);
  return { ...side, url, regtest: undefined, close: async () => {} };
}

function connect(
  o: SideOptions,
  signer: AnchorSigner,
  bitcoin: Pick<Extract<BitcoinOptions, { kind: "rpc" }>, "network" | "urls" | "funding"> & {
    readonly faucet?: () => Promise<AnchorCoin>;
  },
): Pick<BitcoinSide, "port" | "address" | "status"> {
  const [url = "", ...others] = bitcoin.urls;
  const rpcOf = (node: string, timeoutMs = RPC_TIMEOUT_MS) => createBitcoinRpc({ url: node, timeoutMs });
  const nodes = [rpcOf(url), ...others.map((other) => rpcOf(other))] as const;
  const view = createChainView({ nodes, network: bitcoin.network, checkDepth: o.policy.finalDepth - 1 });
  const { address, scriptPubKey } = signer;
  const search = { rpc: rpcOf(url, SCAN_TIMEOUT_MS), address, scriptPubKey, configured: bitcoin.funding ?? [] };
  const port = createAnchorPort({
    ...{ nodes, view, signer, network: bitcoin.network, fees: o.fees ?? DEFAULT_FEES },
    coins: seldom(() => findCoins(search)),
    ...(bitcoin.faucet === undefined ? {} : { faucet: bitcoin.faucet }),
  });
  return { port, address, status: () => view.status() };
}

/**
 * Answers the same for a while: a search may read the node's whole UTXO set. After one that found nothing the node rests
 * at least as long as it worked.
 */
function seldom<T>(search: () => Promise<readonly T[]>): () => Promise<readonly T[]> {
  let last: readonly T[] = [];
  let nextAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const started = performance.now();
    if (started >= nextAt) {
      last = await search();
      const ended = performance.now();
      nextAt = ended + (last.length > 0 ? COIN_SEARCH_MS : Math.max(EMPTY_SEARCH_MS, ended - started));
    }
    return last;
  };
}

function anchorSigner(o: SideOptions, network: NetworkName): AnchorSigner {
  const { capSat } = o.fees ?? DEFAULT_FEES;
  if (o.externalSigner === undefined) {
    if (o.anchorKey === undefined) throw new TypeError("an anchor key or an external signer is needed");
    return createKeySigner(createAnchorWallet({ privateKey: o.anchorKey, network }), capSat);
  }
  const { publicKey, via } = o.externalSigner;
  const limits = o.signal === undefined ? {} : { signal: o.signal };
  const exchange = via.kind === "command" ? commandExchange(via.command, limits) : httpExchange(via.url, limits);
  return createPsbtSigner({ publicKey, network, capSat, exchange });
}
