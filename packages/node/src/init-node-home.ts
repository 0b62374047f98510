/** Owns making a node's home: keys, secrets, settings, and last the genesis of its chain. */
import { randomBytes } from "node:crypto";
import { access } from "node:fs/promises";
import { type BuildGenesisOptions, buildGenesis, DEFAULT_CHAIN_ID, type EthGenesis } from "@cairn/chain";
import { publicKeyToJson } from "@cairn/comet";
import { type CometGenesis, initHome, type PrivValidator } from "@cairn/consensus";
import { type Address, bytesToHex, ZERO_ADDRESS } from "@cairn/primitives";
import { renderConfig } from "./config/render.ts";
import type { NodeConfig } from "./config/schema.ts";
import { writeDurableFile } from "./durable-file.ts";
import { type NodeHome, nodeHome } from "./home.ts";
import { NodeError } from "./node-error.ts";

/** What a new home holds; defaults are the sandbox's chain. Amounts in wei, balances by address. */
export interface InitNodeHomeOptions
  extends Pick<
    BuildGenesisOptions,
    "balances" | "alloc" | "allowUnprotectedTxs" | "baseFeePerGasWei" | "minBaseFeeWei"
  > {
  readonly home: string;
  readonly evmChainId?: bigint;
  /** Default: `cairn-` and the EVM chain id. */
  readonly consensusChainId?: string;
  readonly blockGasLimit?: bigint;
  readonly moniker?: string;
  /** Owner of the predeployed contracts and operator of the validator; default: the first of `balances`, else nobody. */
  readonly owner?: Address;
  /**
   * 32-byte key of `owner`, kept in config/operator.key so that the node signs its validator's transactions by itself.
   * Only for a publicly known owner of a sandbox; elsewhere the operator's account belongs into the key store.
   */
  readonly operatorKey?: Uint8Array;
  /** Receives the validator's priority fees; default: its consensus address. */
  readonly etherbase?: Address;
  /** Seconds between the request of a withdrawal from the vault and its payment; the vault's default when absent. */
  readonly withdrawalDelaySeconds?: bigint;
  /** Milliseconds since 1970; whole seconds are taken. */
  readonly genesisTimeMs?: number;
  /** Settings that app.toml starts with instead of the defaults. */
  readonly config?: Partial<NodeConfig>;
}

/** What was made. */
export interface InitializedHome {
  readonly home: NodeHome;
  readonly genesis: EthGenesis;
  readonly consensusChainId: string;
}

/**
 * Makes a home for a new chain with one validator. An interrupted run is completed by the next one: the genesis is
 * written last. Throws `NodeError` `home-exists` when there is a genesis already.
 */
export async function initNodeHome(o: InitNodeHomeOptions): Promise<InitializedHome> {
  const home = nodeHome(o.home);
  if (await exists(home.genesisFile)) {
    throw new NodeError("home-exists", "the home directory already holds a chain");
  }
  await writeOnce(home.appToml, renderConfig(o.config), 0o644);
  await writeOnce(home.jwtFile, `${randomBytes(32).toString("hex")}\n`, 0o600);
  await writeOnce(home.operatorTokenFile, `cairn_op_${randomBytes(24).toString("hex")}\n`, 0o600);
  if (o.operatorKey !== undefined) await writeOnce(home.operatorKeyFile, `${bytesToHex(o.operatorKey)}\n`, 0o600);
  const evmChainId = o.evmChainId ?? DEFAULT_CHAIN_ID;
  const consensusChainId = o.consensusChainId ?? `cairn-${evmChainId}`;
  const seconds = Math.floor((o.genesisTimeMs ?? Date.now()) / 1000);
  let genesis: EthGenesis | undefined;
  await initHome({
    home: engineHome(home),
    genesis: (validator) => {
      genesis = ethGenesis(o, validator, { evmChainId, seconds });
      return cometGenesis(validator, { genesis, consensusChainId, seconds, moniker: o.moniker ?? "cairn" });
    },
  });
  if (genesis === undefined) throw new NodeError("home-exists", "the home directory already holds a chain");
  return { home, genesis, consensusChainId };
}

/** The files the consensus engine works on. */
export function engineHome(home: NodeHome) {
  const { genesisFile, nodeKeyFile, privValidatorKeyFile, privValidatorStateFile } = home;
  return { genesisFile, nodeKeyFile, privValidatorKeyFile, privValidatorStateFile, dataDir: home.consensusDir };
}

function ethGenesis(
  o: InitNodeHomeOptions,
  validator: PrivValidator,
  { evmChainId, seconds }: { readonly evmChainId: bigint; readonly seconds: number },
): EthGenesis {
  const [first] = Object.keys(o.balances ?? {}) as Address[];
  const owner = o.owner ?? first ?? ZERO_ADDRESS;
  return buildGenesis({
    chainId: evmChainId,
    timestampSeconds: BigInt(seconds),
    ...defined("gasLimit", o.blockGasLimit),
    ...defined("baseFeePerGasWei", o.baseFeePerGasWei),
    ...defined("minBaseFeeWei", o.minBaseFeeWei),
    ...defined("allowUnprotectedTxs", o.allowUnprotectedTxs),
    ...defined("withdrawalDelaySeconds", o.withdrawalDelaySeconds),
    ...defined("balances", o.balances),
    ...defined("alloc", o.alloc),
    owner,
    validators: [
      {
        consensusAddress: bytesToHex(validator.address),
        pubKey: bytesToHex(validator.pubKey.bytes),
        power: VALIDATOR_POWER,
        operator: owner,
        etherbase: o.etherbase ?? ZERO_ADDRESS,
      },
    ],
  });
}

const VALIDATOR_POWER = 10n;

function cometGenesis(
  validator: PrivValidator,
  o: {
    readonly genesis: EthGenesis;
    readonly consensusChainId: string;
    readonly seconds: number;
    readonly moniker: string;
  },
): CometGenesis {
  return {
    genesis_time: new Date(o.seconds * 1000).toISOString().replace(".000Z", "Z"),
    chain_id: o.consensusChainId,
    initial_height: "1",
    validators: [
      {
        address: bytesToHex(validator.address).slice(2).toUpperCase(),
        pub_key: publicKeyToJson(validator.pubKey),
        power: String(VALIDATOR_POWER),
        name: o.moniker,
      },
    ],
    app_hash: "",
    app_state: o.genesis,
  };
}

function defined<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  if (value === undefined) return {};
  const pair: { [P in K]?: V } = {};
  pair[key] = value;
  return pair;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function writeOnce(path: string, text: string, mode: number): Promise<void> {
  if (!(await exists(path))) await writeDurableFile(path, text, mode);
}
