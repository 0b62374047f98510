/**
 * Owns the node's settings: the one list from which app.toml's template, flags, environment names, help and the
 * reference page come. Names follow the specification and, where it is silent, the Cosmos EVM family's.
 */
import {
  addressSetting,
  booleanSetting,
  choiceSetting,
  coinSetting,
  durationSetting,
  integerSetting,
  listSetting,
  type SettingValues,
  SUPPORTED_NAMESPACES,
  settingSchema,
  weiSetting,
} from "@cairn/api";
import { DEFAULT_FILTER_LIMITS, DEFAULT_POOL_LIMITS } from "@cairn/chain";
import { DEFAULT_LIMITS } from "@cairn/jsonrpc";

/** Namespaces the node can serve. */
export const NAMESPACES = [...SUPPORTED_NAMESPACES, "rpc"] as const;

/** Every setting by its key in app.toml: `name` or `section.name`. */
export const NODE_SETTINGS = {
  "minimum-gas-prices": weiSetting({
    default: 0n,
    doc: "Least priority fee in wei per gas: cheaper transactions are refused and left out of proposals.",
  }),
  "consensus.block-interval": durationSetting({ default: 1_000, doc: "Time from one block to the next." }),
  "json-rpc.enable": booleanSetting({ default: true, doc: "Serves Ethereum JSON-RPC over HTTP and WebSocket." }),
  "json-rpc.address": addressSetting({
    default: { host: "127.0.0.1", port: 8545 },
    doc: "Where JSON-RPC over HTTP listens. Port 0 takes a free one.",
  }),
  "json-rpc.ws-address": addressSetting({
    default: { host: "0.0.0.0", port: 8546 },
    doc: "Where JSON-RPC over WebSocket listens. Port 0 takes a free one.",
  }),
  "json-rpc.api": listSetting({
    default: ["eth", "net", "web3"],
    known: NAMESPACES,
    doc: "Namespaces to serve. Private methods among them need the operator's token.",
  }),
  "json-rpc.allow-insecure-unlock": booleanSetting({
    default: false,
    doc: "Lets callers from other machines sign with unlocked accounts without the operator's token.",
  }),
  "json-rpc.estimate-gas": booleanSetting({
    default: false,
    doc: "Estimates the gas of eth_sendTransaction where none is given, instead of 90000.",
  }),
  "json-rpc.ws-origins": listSetting({
    default: ["127.0.0.1", "localhost"],
    doc: "Host names of web pages that may call over HTTP or WebSocket; * lets all in.",
  }),
  "json-rpc.vhosts": listSetting({
    default: ["localhost"],
    doc: "Names by which clients may reach the server, besides IP addresses; * allows any.",
  }),
  "json-rpc.txfee-cap": coinSetting({
    default: 10n ** 18n,
    doc: "Most fees a transaction sent over JSON-RPC may cost, in coins; 0 for no cap.",
  }),
  "json-rpc.gas-cap": integerSetting({
    default: 0,
    least: 0,
    doc: "Most gas of eth_call, eth_estimateGas and simulations; 0 for the block gas limit.",
  }),
  "json-rpc.evm-timeout": durationSetting({
    default: 5_000,
    doc: "Calls, estimates and simulations are given up after this; 0s for no limit.",
  }),
  "json-rpc.feehistory-cap": integerSetting({
    default: 1024,
    least: 1,
    most: 100_000,
    doc: "Most blocks eth_feeHistory answers; more are cut off.",
  }),
  "json-rpc.allow-unprotected-txs": booleanSetting({
    default: false,
    doc: "Takes raw transactions without chain id (before EIP-155), when the chain's genesis allows them too.",
  }),
  "json-rpc.pow-fields": choiceSetting({
    default: "constants",
    words: ["constants", "null"],
    doc: "Proof-of-work fields of blocks: the constants that strict clients need, or null.",
  }),
  "json-rpc.logs-cap": integerSetting({ default: 10_000, least: 1, doc: "Most logs one query answers." }),
  "json-rpc.filter-timeout": durationSetting({
    default: DEFAULT_FILTER_LIMITS.timeoutMs,
    doc: "A filter nobody polls for so long is removed.",
  }),
  "json-rpc.filter-cap": integerSetting({
    default: DEFAULT_FILTER_LIMITS.maxFilters,
    least: 1,
    doc: "Most filters installed at once, of them a quarter over one WebSocket connection.",
  }),
  "json-rpc.http-timeout": durationSetting({
    default: DEFAULT_LIMITS.readTimeoutMs,
    doc: "Longest time to receive a request, and to answer one call.",
  }),
  "json-rpc.http-idle-timeout": durationSetting({
    default: DEFAULT_LIMITS.idleTimeoutMs,
    doc: "A connection without requests is closed after this.",
  }),
  "json-rpc.http-body-limit": integerSetting({
    default: DEFAULT_LIMITS.bodyBytes,
    least: 1024,
    doc: "Largest request body or WebSocket message in bytes.",
  }),
  "json-rpc.batch-request-limit": integerSetting({
    default: DEFAULT_LIMITS.batchItems,
    least: 1,
    doc: "Most calls in one batch.",
  }),
  "json-rpc.batch-response-max-size": integerSetting({
    default: DEFAULT_LIMITS.batchResponseBytes,
    least: 1024,
    doc: "Largest sum of results of one batch in bytes.",
  }),
  "json-rpc.max-open-connections": integerSetting({
    default: DEFAULT_LIMITS.connections,
    least: 0,
    doc: "Most open connections per listener; 0 for no limit.",
  }),
  "keystore.light-kdf": booleanSetting({
    default: false,
    doc: "Encrypts new key files with less work and memory (scrypt n 4096, p 6): weaker against who gets hold of them.",
  }),
  "rpc.laddr": addressSetting({
    default: { host: "127.0.0.1", port: 26_657 },
    scheme: "tcp://",
    doc: "Where the consensus engine's RPC listens. Port 0 takes a free one.",
  }),
  "txpool.account-slots": integerSetting({
    default: DEFAULT_POOL_LIMITS.accountSlots,
    least: 1,
    doc: "Executable transactions a sender keeps when the pool has too many.",
  }),
  "txpool.global-slots": integerSetting({
    default: DEFAULT_POOL_LIMITS.globalSlots,
    least: 1,
    doc: "Executable transactions in all.",
  }),
  "txpool.account-queue": integerSetting({
    default: DEFAULT_POOL_LIMITS.accountQueue,
    least: 1,
    doc: "Transactions of one sender that wait for an earlier nonce.",
  }),
  "txpool.global-queue": integerSetting({
    default: DEFAULT_POOL_LIMITS.globalQueue,
    least: 1,
    doc: "Transactions that wait for an earlier nonce in all.",
  }),
  "txpool.lifetime": durationSetting({
    default: DEFAULT_POOL_LIMITS.lifetimeMs,
    doc: "Waiting transactions are dropped when their sender sent nothing for so long.",
  }),
  "txpool.price-bump": integerSetting({
    default: Number(DEFAULT_POOL_LIMITS.priceBump),
    least: 1,
    most: 1000,
    doc: "Least rise of both fees of a replacement, in percent.",
  }),
  "txpool.price-limit": weiSetting({
    default: DEFAULT_POOL_LIMITS.priceLimitWei,
    doc: "Least priority fee in wei per gas of pooled transactions, where minimum-gas-prices asks for less.",
  }),
  "txpool.journal": booleanSetting({
    default: true,
    doc: "Keeps pooled transactions in data/txpool.journal, so that they survive a restart.",
  }),
  "state.cache": integerSetting({
    default: 128,
    least: 1,
    most: 1_048_576,
    doc: "Memory for cached state in MiB.",
  }),
} as const;

/** A key of app.toml. */
export type ConfigKey = keyof typeof NODE_SETTINGS;

/** The schema of app.toml. */
export const NODE_SCHEMA = settingSchema({
  fileName: "app.toml",
  environmentPrefix: "CAIRN",
  settings: NODE_SETTINGS,
});

/** All keys in the order of the template. */
export const CONFIG_KEYS: readonly ConfigKey[] = NODE_SCHEMA.keys;

/** The configuration in force: every key with its value. */
export type NodeConfig = SettingValues<typeof NODE_SETTINGS>;

/** `CAIRN_<SECTION>_<KEY>`. */
export const environmentName = (key: string): string => NODE_SCHEMA.environmentName(key);
