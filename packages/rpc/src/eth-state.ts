/** Owns the handlers of `eth` for chain, account state and calls; fees are in eth-fees.ts. */
import { type CallParam, type ethState, type Handlers, rpcError, type StorageKey } from "@cairn/api";
import type { Chain } from "@cairn/chain";
import { type Address, bigintToBytes, bytesToBigint, bytesToHex, quantityToHex, ZERO_ADDRESS } from "@cairn/primitives";
import { atState, found, quantityJson, type ReadRef } from "./block-ref.ts";
import { callRequest, type Overrides } from "./call-request.ts";
import { estimateError } from "./estimate-error.ts";
import { feeHandlers } from "./eth-fees.ts";
import type { RpcSettings } from "./options.ts";
import { accountsJson } from "./personal.ts";
import { revertError } from "./revert.ts";

function syncingJson(settings: RpcSettings): string {
  const status = settings.syncing();
  if (status === false) return "false";
  const { startingBlock, currentBlock, highestBlock } = status;
  return JSON.stringify({
    startingBlock: quantityToHex(startingBlock),
    currentBlock: quantityToHex(currentBlock),
    highestBlock: quantityToHex(highestBlock),
  });
}

/** A position spelled in full is echoed in full by the native core, any other as a quantity. */
function proofKey(key: StorageKey): Uint8Array {
  return key.full ? key.bytes : bigintToBytes(bytesToBigint(key.bytes));
}

function accountHandlers(chain: Chain) {
  const { reads } = chain;
  return {
    eth_getBalance: ([address, selector]) =>
      atState(chain, selector, (block) => quantityJson(found(reads.account(address, block)).balanceWei)),
    eth_getCode: ([address, selector]) =>
      atState(chain, selector, (block) => `"${bytesToHex(found(reads.code(address, block)))}"`),
    eth_getStorageAt: ([address, key, selector]) =>
      atState(chain, selector, (block) => `"${bytesToHex(found(reads.storage(address, key.bytes, block)))}"`),
    eth_getTransactionCount: ([address, selector]) => {
      if (selector === "pending") return pendingNonceJson(chain, address);
      return atState(chain, selector, (block) => quantityJson(found(reads.account(address, block)).nonce));
    },
    eth_getProof: ([address, keys, selector]) =>
      atState(chain, selector, async (block) => found(await reads.proofJson(address, keys.map(proofKey), block))),
  } satisfies Partial<Handlers<typeof ethState>>;
}

function callHandlers(chain: Chain, settings: RpcSettings) {
  const request = (call: CallParam, block: ReadRef, overrides: Overrides) =>
    callRequest(chain, settings, call, block, overrides);
  return {
    eth_call: async ([call, selector, state, block]) => {
      const run = (at: ReadRef) => chain.reads.call(request(call, at, { state, block }));
      const outcome = await atState(chain, selector, run);
      if (outcome.ok) return `"${bytesToHex(outcome.data)}"`;
      if (outcome.code === "reverted") throw revertError(outcome.data);
      if (outcome.code === "halted") throw rpcError("halted", { reason: outcome.reason });
      if (outcome.code === "refused") throw rpcError("call-refused", { reason: outcome.reason });
      throw rpcError("header-not-found", {});
    },
    eth_estimateGas: async ([call, selector, state, block]) => {
      const run = (at: ReadRef) => chain.reads.estimateGas(request(call, at, { state, block }));
      const outcome = await atState(chain, selector, run);
      if (outcome.ok) return quantityJson(outcome.gas);
      throw estimateError(outcome);
    },
  } satisfies Partial<Handlers<typeof ethState>>;
}

/** The handlers of the state part of `eth`. */
export function ethStateHandlers(
  chain: Chain,
  settings: RpcSettings,
  suggestTip: () => Promise<bigint>,
): Handlers<typeof ethState> {
  const { consensusAddress } = settings;
  return {
    eth_chainId: () => quantityJson(chain.chainId),
    eth_blockNumber: () => quantityJson(chain.head().number),
    eth_syncing: () => syncingJson(settings),
    eth_coinbase: () => `"${consensusAddress === undefined ? ZERO_ADDRESS : chain.etherbase(consensusAddress)}"`,
    eth_accounts: () => accountsJson(settings.keystore),
    ...feeHandlers(chain, settings, suggestTip),
    ...accountHandlers(chain),
    ...callHandlers(chain, settings),
  };
}

/** Counts what was submitted before the question, also when it is still with the admission. */
function pendingNonceJson(chain: Chain, address: Address): string | Promise<string> {
  const answer = (): string => quantityJson(chain.pool.pendingNonce(address));
  return chain.submissionsSettled()?.then(answer) ?? answer();
}
