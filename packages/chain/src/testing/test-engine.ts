/** For tests: a chain over a real database in a temporary directory, driven as a consensus engine drives it. */
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FinalizeBlockResponse, PROPOSAL_ACCEPT } from "@cairn/abci";
import { type Native, openNative } from "@cairn/native";
import { type Address, bytesToHex, hexToBytes, sha256, ZERO_ADDRESS } from "@cairn/primitives";
import type { Hex } from "viem";
import { type HDAccount, mnemonicToAccount } from "viem/accounts";
import type { Chain } from "../chain.ts";
import { type ChainOptions, createChain } from "../create-chain.ts";
import type { EthGenesis, GenesisAlloc } from "../eth-genesis.ts";
import { buildGenesis } from "../genesis.ts";
import { SANDBOX_ACCOUNTS, SANDBOX_BALANCE_WEI } from "../sandbox-accounts.ts";

const MNEMONIC = "test test test test test test test test test test test junk";

/** The sandbox's account with that index. */
export const sandboxAccount = (index: number) => mnemonicToAccount(MNEMONIC, { addressIndex: index });

/** Key of the only validator of the genesis, 32 bytes. */
export const VALIDATOR_KEY: Hex = `0x${"33".repeat(32)}`;
/** Its consensus address: it proposes every block. */
export const PROPOSER = sha256(hexToBytes(VALIDATOR_KEY)).slice(0, 20);
/** Receives the proposer's fees. */
export const ETHERBASE: Address = `0x${"22".repeat(20)}`;

const GENESIS_SECONDS = 1_700_000_000n;

/** A chain whose blocks the test makes. */
export interface TestEngine {
  readonly dir: string;
  readonly genesis: EthGenesis;
  readonly chain: Chain;
  readonly native: Native;
  /** Proposes, processes, finalizes and commits the next block; `txs` instead of the proposal when given. */
  produce(o?: ProduceOptions): Promise<ProducedBlock>;
  /** The request of the next block over `txs`. */
  request(txs: readonly Uint8Array[], o?: ProduceOptions): Parameters<Chain["app"]["finalizeBlock"]>[0];
  /** Closes chain and database and keeps the directory. */
  stop(): Promise<void>;
  /** Closes all and removes the directory. */
  close(): Promise<void>;
}

/** How a block is made. */
export interface ProduceOptions {
  readonly txs?: readonly Uint8Array[];
  readonly seconds?: bigint;
  readonly maxTxBytes?: bigint;
}

/** One block that was made. */
export interface ProducedBlock extends FinalizeBlockResponse {
  readonly txs: readonly Uint8Array[];
}

/** The genesis of tests: the sandbox's accounts, one validator. */
export function testGenesis(alloc: GenesisAlloc = {}): EthGenesis {
  return buildGenesis({
    alloc,
    timestampSeconds: GENESIS_SECONDS,
    owner: SANDBOX_ACCOUNTS[0] ?? ZERO_ADDRESS,
    validators: [
      {
        consensusAddress: bytesToHex(PROPOSER),
        pubKey: VALIDATOR_KEY,
        power: 10n,
        operator: SANDBOX_ACCOUNTS[0] ?? ZERO_ADDRESS,
        etherbase: ETHERBASE,
      },
    ],
    balances: Object.fromEntries(SANDBOX_ACCOUNTS.map((account) => [account, SANDBOX_BALANCE_WEI])),
  });
}

const quiet = () => undefined;
const LOG = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** Opens a chain in `dir` or a new temporary directory, as after a start of the node. */
export async function startTestEngine(
  o: { readonly dir?: string; readonly alloc?: GenesisAlloc } & Partial<ChainOptions> = {},
): Promise<TestEngine> {
  const { dir = await mkdtemp(join(tmpdir(), "cairn-chain-")), alloc, ...options } = o;
  const genesis = testGenesis(alloc);
  const native = await openNative({ dir: join(dir, "state"), genesis: JSON.stringify(genesis) });
  const chain = createChain({ native, genesis, log: LOG, ...options });
  const info = await chain.app.info({ version: "", blockVersion: 11n, p2pVersion: 8n, abciVersion: "2.0.0" });
  if (info.lastBlockHeight === 0n) await chain.app.initChain(initRequest(genesis));
  const request: TestEngine["request"] = (txs, { seconds } = {}) => blockRequest(chain, txs, seconds);
  const stop = async (): Promise<void> => {
    await chain.close();
    await native.close();
  };
  return {
    dir,
    genesis,
    chain,
    native,
    request,
    stop,
    produce: (options = {}) => produce(chain, options, request),
    async close() {
      await stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** InitChain over a genesis. */
export function initRequest(genesis: EthGenesis): Parameters<Chain["app"]["initChain"]>[0] {
  return {
    time: { seconds: GENESIS_SECONDS, nanos: 0 },
    chainId: "cairn-test",
    validators: [],
    appStateBytes: new TextEncoder().encode(JSON.stringify(genesis)),
    initialHeight: 1n,
  };
}

function blockRequest(chain: Chain, txs: readonly Uint8Array[], seconds?: bigint) {
  const height = chain.head().number + 1n;
  const digest = createHash("sha256").update(String(height));
  for (const tx of txs) digest.update(tx);
  return {
    txs,
    decidedLastCommit: { round: 0, votes: [] },
    misbehavior: [],
    hash: new Uint8Array(digest.digest()),
    height,
    time: { seconds: seconds ?? GENESIS_SECONDS + height, nanos: 999_999_999 },
    nextValidatorsHash: new Uint8Array(32),
    proposerAddress: PROPOSER,
  };
}

async function produce(chain: Chain, o: ProduceOptions, request: TestEngine["request"]): Promise<ProducedBlock> {
  const { app } = chain;
  let { txs } = o;
  if (txs === undefined) {
    const { decidedLastCommit, hash: _, ...rest } = request([], o);
    const maxTxBytes = o.maxTxBytes ?? 20_000_000n;
    ({ txs } = await app.prepareProposal({ ...rest, localLastCommit: decidedLastCommit, maxTxBytes }));
    const { decidedLastCommit: proposedLastCommit, ...proposal } = request(txs, o);
    const verdict = await app.processProposal({ ...proposal, proposedLastCommit });
    if (verdict !== PROPOSAL_ACCEPT) throw new Error("the application refuses its own proposal");
  }
  const response = await app.finalizeBlock(request(txs, o));
  await app.commit();
  return { ...response, txs };
}

/** A transfer or call to sign; fees in wei. */
export interface Draft {
  readonly nonce: number;
  readonly to?: Address;
  readonly value?: bigint;
  readonly data?: Hex;
  readonly gas?: bigint;
  readonly cap?: bigint;
  readonly tip?: bigint;
  readonly chainId?: number;
}

/** Signs a type-2 transaction of a sandbox account. */
export async function sign(from: HDAccount, draft: Draft): Promise<Uint8Array> {
  const { nonce, to, value = 0n, data, gas = 21_000n, cap = 10n ** 10n, tip = 10n ** 9n, chainId = 358_587 } = draft;
  const signed = await from.signTransaction({
    type: "eip1559",
    ...{ chainId, nonce, value, gas, maxFeePerGas: cap, maxPriorityFeePerGas: tip },
    ...(to === undefined ? {} : { to }),
    ...(data === undefined ? {} : { data }),
  });
  return hexToBytes(signed);
}
