/** Owns the handlers of `eth` for simulations, access lists and reads of many things at once. */
import { type ethSimulation, type Handlers, RpcError, rpcError, type SimulationParam } from "@cairn/api";
import type { Chain } from "@cairn/chain";
import { type Address, bytesToHex, type Hash, hexToBytes } from "@cairn/primitives";
import { atState, found, type ReadRef } from "./block-ref.ts";
import { callMany } from "./call-many.ts";
import { callRequest, message, nativeBlockOverrides, nativeLimits, nativeStateOverrides } from "./call-request.ts";
import { forkConfigJson } from "./fork-config.ts";
import type { RpcSettings } from "./options.ts";
import { pooledTransaction } from "./pooled-json.ts";
import { sendRawSync } from "./send-sync.ts";
import { transactionBySenderAndNonce } from "./sender-nonce.ts";

const MAX_BLOCKS = 256;
const MAX_CALLS_PER_BLOCK = 5_000;
const MAX_CALLS = 10_000;
const MAX_SLOTS = 1_024;

function tooLarge(fault: string): RpcError {
  return rpcError("simulation-too-large", { fault });
}

function checkSize({ blocks }: SimulationParam): void {
  if (blocks.length === 0) throw rpcError("empty-simulation", {});
  if (blocks.length > MAX_BLOCKS) throw tooLarge("too many blocks");
  let total = 0;
  for (const { calls } of blocks) {
    if (calls.length > MAX_CALLS_PER_BLOCK) {
      throw tooLarge(`too many calls in block: ${calls.length} > ${MAX_CALLS_PER_BLOCK}`);
    }
    total += calls.length;
    if (total > MAX_CALLS) throw tooLarge(`too many calls: ${total} > ${MAX_CALLS}`);
  }
}

async function simulate(chain: Chain, settings: RpcSettings, simulation: SimulationParam, block: ReadRef) {
  checkSize(simulation);
  const outcome = await chain.reads.simulate({
    blocks: simulation.blocks.map(({ blockOverrides, stateOverrides, calls }) => ({
      blockOverrides: nativeBlockOverrides(blockOverrides),
      stateOverrides: nativeStateOverrides(stateOverrides),
      calls: calls.map((call) => message(chain, call)),
    })),
    traceTransfers: simulation.traceTransfers,
    validation: simulation.validation,
    fullTransactions: simulation.returnFullTransactions,
    block,
    ...nativeLimits(settings),
  });
  if (outcome.ok) return outcome.json;
  if (outcome.code === "failed") throw new RpcError(outcome.rpcCode, outcome.reason);
  throw rpcError("header-not-found", {});
}

function storageValues(chain: Chain, requests: Readonly<Record<Address, readonly Hash[]>>, block: ReadRef): string {
  const entries = Object.entries(requests) as [Address, readonly Hash[]][];
  const total = entries.reduce((sum, [, keys]) => sum + keys.length, 0);
  if (total > MAX_SLOTS) throw rpcError("too-many-slots", { most: MAX_SLOTS });
  if (total === 0) throw rpcError("no-slots", {});
  const word = (account: Address, key: Hash) => bytesToHex(found(chain.reads.storage(account, hexToBytes(key), block)));
  return JSON.stringify(
    Object.fromEntries(entries.map(([account, keys]) => [account, keys.map((key) => word(account, key))])),
  );
}

/** The handlers of the simulation part of `eth`. */
export function ethSimulationHandlers(chain: Chain, settings: RpcSettings): Handlers<typeof ethSimulation> {
  return {
    eth_createAccessList: async ([call, selector, state]) => {
      const outcome = await atState(chain, selector, (block) =>
        chain.reads.createAccessList(callRequest(chain, settings, call, block, { state, block: {} })),
      );
      if (outcome.ok) return outcome.json;
      if (outcome.code === "refused") throw rpcError("access-list-refused", { reason: outcome.reason });
      throw rpcError("header-not-found", {});
    },
    eth_simulateV1: ([simulation, selector]) =>
      atState(chain, selector, (block) => simulate(chain, settings, simulation, block)),
    eth_callMany: ([bundles, context, stateOverrides, timeoutMs]) =>
      callMany(chain, settings, { bundles, context, stateOverrides, timeoutMs }),
    eth_getStorageValues: ([requests, selector]) =>
      atState(chain, selector, (block) => storageValues(chain, requests, block)),
    eth_sendRawTransactionSync: ([raw, timeoutMs]) => sendRawSync(chain, settings, raw, timeoutMs),
    eth_pendingTransactions: async () => {
      const own = new Set((await settings.keystore.accounts()).map(({ address }) => address));
      const { pending } = chain.pool.content();
      return JSON.stringify(
        [...pending].filter(([sender]) => own.has(sender)).flatMap(([, txs]) => txs.map(pooledTransaction)),
      );
    },
    eth_getTransactionBySenderAndNonce: ([sender, nonce]) => transactionBySenderAndNonce(chain, sender, nonce),
    eth_config: () => forkConfigJson(chain.chainId, headerHash(chain)),
  };
}

function headerHash(chain: Chain): Hash {
  const genesis = JSON.parse(found(chain.reads.headerJson(0n))) as { readonly hash: Hash };
  return genesis.hash;
}
