/**
 * The settings of the proof service: the one list from which service.toml's template, flags, environment names, help
 * and the reference page come. Owns names and defaults; what a production environment refuses is `environment/`'s.
 */

import { SANDBOX_POLICY } from "@cairn/aggregator";
import {
  addressSetting,
  booleanSetting,
  choiceSetting,
  durationSetting,
  integerSetting,
  listSetting,
  type SettingValues,
  settingSchema,
  textSetting,
  urlListSetting,
  urlSetting,
} from "@cairn/api";

const PATH = { form: "a path; relative ones start at the home", pattern: /^[^\0]*$/ };
const PUBLIC_KEY = { form: "33 bytes of hex", pattern: /^(?:0[23][0-9a-f]{64})?$/ };
const COMMAND = { form: "a path and arguments separated by spaces", pattern: /^[^\0]*$/ };

/** Every setting by its key in service.toml. */
export const SERVICE_SETTINGS = {
  environment: choiceSetting({
    default: "production",
    words: ["production", "sandbox"],
    doc: "What the service says it is. Production refuses to start with any default of a sandbox.",
  }),
  "chain.node-rpc": urlSetting({ default: "http://127.0.0.1:8545", doc: "Ethereum JSON-RPC of the chain node." }),
  "chain.consensus-rpc": urlSetting({ default: "http://127.0.0.1:26657", doc: "Consensus RPC of the chain node." }),
  "chain.evm-chain-id": integerSetting({ default: 358_587, least: 1, doc: "The chain's EVM chain id." }),
  "chain.stalled-after": durationSetting({
    default: 60_000,
    doc: "Alarm when the chain makes no block for so long.",
  }),
  "listen.address": addressSetting({
    default: { host: "127.0.0.1", port: 8090 },
    doc: "Where the REST interface listens. Port 0 takes a free one.",
  }),
  "listen.behind-tls-proxy": booleanSetting({
    default: false,
    doc: "Says that a proxy in front ends TLS: needed in production to listen on other than loopback addresses.",
  }),
  "listen.public-url": urlSetting({
    default: "",
    doc: "Where clients reach the service: written into pending timestamps. Empty: the listener's own address.",
  }),
  "limits.submissions-per-minute": integerSetting({
    default: 1_200,
    least: 0,
    most: 10_000_000,
    doc: "Submissions and verifications per minute and key where its agreement says nothing; 0 for no limit.",
  }),
  "limits.submissions-burst": integerSetting({
    default: 300,
    least: 1,
    most: 10_000_000,
    doc: "How many of them may come at once.",
  }),
  "limits.reads-per-minute": integerSetting({
    default: 1_200,
    least: 0,
    most: 10_000_000,
    doc: "Reads of public routes (receipts, batches, anchors) per minute and address; 0 for no limit.",
  }),
  "limits.waiting": integerSetting({
    default: SANDBOX_POLICY.maxReceived,
    least: 1,
    most: 10_000_000,
    doc: "Submissions that may wait for verification; more are answered 503.",
  }),
  "payment.mode": choiceSetting({
    default: "vault",
    words: ["vault", "none", "mock"],
    doc: "Who pays: deposits in the InclusionVault, nobody (own use), or a mock ledger with test money (sandbox only).",
  }),
  "payment.price-plans": textSetting({
    ...PATH,
    default: "",
    doc: "JSON file of price plans by name; agreements name one. Empty: only the built-in plan `standard`.",
  }),
  "settler.key-file": textSetting({
    ...PATH,
    default: "service/keys/settler.json",
    doc: "Encrypted key file (version 3) of the key that signs settlements.",
  }),
  "batch.slots": integerSetting({
    default: SANDBOX_POLICY.batchSlots,
    least: 1,
    most: 4_096,
    doc: "A batch closes when it has so many submissions,",
  }),
  "batch.interval": durationSetting({ default: 10_000, doc: "or so long after its oldest one was verified," }),
  "batch.bytes": integerSetting({
    default: SANDBOX_POLICY.batchBytes,
    least: 10_000,
    most: 900_000,
    doc: "or when its settlement would carry more bytes.",
  }),
  "anchor.period": durationSetting({ default: 600_000, doc: "Least time from one Bitcoin anchor to the next." }),
  "anchor.final-depth": integerSetting({
    default: 0,
    least: 0,
    most: 1_000,
    doc: "Confirmations at which an anchor is final; 0 takes 6 on mainnet, 12 on testnet4 and signet, 3 on regtest.",
  }),
  "anchor.signer": choiceSetting({
    default: "key-file",
    words: ["key-file", "psbt-command", "psbt-http"],
    doc: "Who signs anchors: an encrypted key file, or an external signer that gets a PSBT and returns it signed.",
  }),
  "anchor.key-file": textSetting({
    ...PATH,
    default: "service/keys/anchor.json",
    doc: "Encrypted key file (version 3) of the anchor wallet's key.",
  }),
  "anchor.public-key": textSetting({
    ...PUBLIC_KEY,
    default: "",
    doc: "The anchor wallet's compressed public key, where an external signer holds the secret one.",
  }),
  "anchor.signer-command": textSetting({
    ...COMMAND,
    default: "",
    doc: "With psbt-command: reads a PSBT in base64 on standard input and writes the signed one to standard output.",
  }),
  "anchor.signer-url": urlSetting({
    default: "",
    doc: "With psbt-http: takes a PSBT in base64 by POST and answers the signed one. May have user and password.",
  }),
  "bitcoin.network": choiceSetting({
    default: "mainnet",
    words: ["mainnet", "testnet4", "signet", "regtest", "embedded"],
    doc: "Where anchors go. embedded is a regtest inside this process (sandbox only).",
  }),
  "bitcoin.rpc-urls": urlListSetting({
    default: [],
    doc: "RPC of Bitcoin nodes with user and password (http://user:password@host:port); those after the first check it.",
  }),
  "bitcoin.accept-regtest": booleanSetting({
    default: false,
    doc: "Lets a production service anchor on a regtest, whose blocks prove nothing: for staging.",
  }),
  "bitcoin.funding": listSetting({
    default: [],
    doc: "Confirmed outputs (txid:index) that pay the anchor wallet, for nodes that cannot search for them.",
  }),
  "bitcoin.tip-age": durationSetting({
    default: 7_200_000,
    doc: "Alarm when the node's newest block is older than this.",
  }),
  "bitcoin.embedded-port": integerSetting({
    default: 18_443,
    least: 0,
    most: 65_535,
    doc: "RPC port of the embedded regtest.",
  }),
  "fee.target-blocks": integerSetting({
    default: 144,
    least: 1,
    most: 1_008,
    doc: "An anchor first offers the fee of confirmation within so many blocks,",
  }),
  "fee.bump-blocks": integerSetting({
    default: 6,
    least: 1,
    most: 1_008,
    doc: "and a higher one each time so many blocks came without it.",
  }),
  "fee.fallback": integerSetting({
    default: 2,
    least: 1,
    most: 1_000,
    doc: "Satoshi per vbyte when the node has no estimate.",
  }),
  "fee.cap": integerSetting({
    default: 100,
    least: 1,
    most: 5_000,
    doc: "Most satoshi per vbyte that an anchor ever offers.",
  }),
  "fee.cap-sat": integerSetting({
    default: 50_000,
    least: 200,
    most: 10_000_000,
    doc: "Most satoshi that an anchor ever costs.",
  }),
  "fee.runway": integerSetting({
    default: 30,
    least: 1,
    most: 100_000,
    doc: "Alarm when the wallet pays for fewer anchors at today's fee; its other coins are then added.",
  }),
  "keys.passphrase-file": textSetting({
    ...PATH,
    default: "",
    doc: "File, or fd:N for an open descriptor, whose first line opens the key files. Else the variable CAIRN_PASSPHRASE.",
  }),
  "store.integrity-check": booleanSetting({
    default: true,
    doc: "Checks the databases' structure at the start.",
  }),
  "log.level": choiceSetting({
    default: "info",
    words: ["debug", "info", "warn", "error", "silent"],
    doc: "Least level that is logged. SIGUSR2 switches to debug and back while the service runs.",
  }),
} as const;

/** The schema of service.toml. */
export const SERVICE_SCHEMA = settingSchema({
  fileName: "service.toml",
  environmentPrefix: "CAIRN_SERVICE",
  settings: SERVICE_SETTINGS,
});

/** The configuration in force: every key with its value. */
export type ServiceConfig = SettingValues<typeof SERVICE_SETTINGS>;
