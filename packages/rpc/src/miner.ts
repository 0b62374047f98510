/** Owns the handlers of `miner`: the minimum gas price of the next start, and the validator's etherbase. */
import { type CallContext, type Handlers, type miner, rpcError } from "@cairn/api";
import type { Chain } from "@cairn/chain";
import { encodeSetEtherbaseCall, operatorSlot, ValidatorRegistry } from "@cairn/contracts";
import { keyAddress, signTransaction } from "@cairn/keystore";
import { type Address, bytesToHex, type Hash } from "@cairn/primitives";
import { ofKeystore } from "./keystore-refusal.ts";
import type { RpcSettings } from "./options.ts";
import type { Sender, Sign } from "./sender.ts";

/** More than `setEtherbase` can use: two storage writes at most and a log. */
const SET_ETHERBASE_GAS = 120_000n;

/** The operator that the registry holds for a validator; undefined when it does not know it. */
function operatorOf(chain: Chain, consensusAddress: Uint8Array | undefined): Address | undefined {
  if (consensusAddress === undefined) return undefined;
  const slot = operatorSlot(consensusAddress);
  const operator = chain.reads.storage(ValidatorRegistry.address, slot, chain.head().number)?.subarray(12);
  return operator?.some((byte) => byte !== 0) ? bytesToHex(operator) : undefined;
}

/** A signer of the operator: the key in the node's home when it is that account's, else the unlocked account. */
async function operatorSigner({ operatorKey, keystore }: RpcSettings, operator: Address): Promise<Sign> {
  if (operatorKey !== undefined && keyAddress(operatorKey) === operator) {
    return async (unsigned) => signTransaction(operatorKey, unsigned);
  }
  const account = (await ofKeystore(keystore.accounts())).find(({ address }) => address === operator);
  if (account?.isUnlocked !== true) throw rpcError("operator-key-needed", { operator });
  return (unsigned) => ofKeystore(keystore.withUnlocked(operator, (key) => signTransaction(key, unsigned)));
}

interface Inclusion {
  /** Resolves with the status once the transaction is in a block; rejects when the call ends before. */
  of(hash: Hash): Promise<boolean>;
  close(): void;
}

/** Watches the heads from now on, so that no block between sending and asking is missed. */
function watchInclusion(chain: Chain, { signal }: CallContext): Inclusion {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => undefined);
  const end = () => reject(rpcError("timeout", {}));
  if (signal.aborted) end();
  signal.addEventListener("abort", end, { once: true });
  const included = new Set<Hash>();
  let arrived = (_: Hash): void => {};
  const stop = chain.onHead(({ hashes }) => {
    for (const hash of hashes) {
      included.add(hash);
      arrived(hash);
    }
  });
  return {
    async of(hash) {
      if (!included.has(hash)) {
        const { promise, resolve } = Promise.withResolvers<void>();
        arrived = (found) => found === hash && resolve();
        await Promise.race([promise, ended]).catch(() => {
          throw rpcError("not-included", { hash });
        });
      }
      const receipt: { readonly status?: string } = JSON.parse((await chain.reads.receiptJson(hash)) ?? "{}");
      return receipt.status === "0x1";
    },
    close() {
      stop();
      signal.removeEventListener("abort", end);
    },
  };
}

/** The handlers of `miner`. */
export function minerHandlers(chain: Chain, settings: RpcSettings, sender: Sender): Handlers<typeof miner> {
  const { consensusAddress } = settings;
  return {
    miner_setGasPrice: async ([wei]) => {
      await settings.saveMinGasPrice(wei);
      return "true";
    },
    miner_setEtherbase: async ([etherbase], context) => {
      const operator = operatorOf(chain, consensusAddress);
      if (operator === undefined || consensusAddress === undefined) throw rpcError("not-a-validator", {});
      const sign = await operatorSigner(settings, operator);
      const inclusion = watchInclusion(chain, context);
      try {
        const data = encodeSetEtherbaseCall(consensusAddress, etherbase);
        const call = { from: operator, to: ValidatorRegistry.address, gas: SET_ETHERBASE_GAS, data };
        const hash = await sender.send(call, sign);
        if (!(await inclusion.of(hash))) throw rpcError("registry-refused", { hash });
        return "true";
      } finally {
        inclusion.close();
      }
    },
  };
}
