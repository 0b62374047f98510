/** The vault on a real chain, called through an independent encoder (viem), its logs read by our decoder. */
import assert from "node:assert/strict";
import {
  decodeVaultEvent,
  encodeSettleCall,
  encodeVaultCall,
  InclusionVault,
  ProofHub,
  type VaultCall,
  type VaultEvent,
} from "@cairn/contracts";
import { bytesToHex, type Hex } from "@cairn/primitives";
import { type Abi, decodeErrorResult, decodeFunctionResult, encodeFunctionData } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { type HubChain, openHubChain } from "./hub-chain.ts";

const abi = InclusionVault.abi as Abi;

/** A chain with its vault. */
export interface VaultChain extends HubChain {
  /** Sends a call that must succeed; answers the vault's events. */
  act(from: PrivateKeyAccount, call: VaultCall, valueWei?: bigint): Promise<readonly VaultEvent[]>;
  /** The error that a call would revert with. */
  errorOf(from: PrivateKeyAccount, call: VaultCall): Promise<string>;
  read(functionName: string, ...args: readonly unknown[]): Promise<unknown>;
  /** Settles a batch of this settler that must succeed; answers the vault's events. */
  settle(from: PrivateKeyAccount, batch: Uint8Array, payers: readonly Hex[]): Promise<readonly VaultEvent[]>;
}

/** A vault whose withdrawals wait this long. */
export async function openVaultChain(withdrawalDelaySeconds?: bigint): Promise<VaultChain> {
  const chain = await openHubChain([], withdrawalDelaySeconds);
  const numbers = new Map<Hex, bigint>();
  const eventsOf = (logs: readonly { address: Hex; topics: Hex[]; data: Hex }[]): VaultEvent[] => {
    const own = logs.filter((log) => log.address === InclusionVault.address);
    const events = own.map(decodeVaultEvent).filter((event) => event !== undefined);
    assert.equal(events.length, own.length, "every log of the vault is understood");
    return events;
  };
  return {
    ...chain,
    async act(from, call, valueWei = 0n) {
      const data = bytesToHex(encodeVaultCall(call));
      const { tx, logs } = await chain.send(from, InclusionVault.address, data, valueWei);
      assert.ok(tx.success, `${call.name} succeeds`);
      return eventsOf(logs);
    },
    async errorOf(from, call) {
      const outcome = await chain.call(from, InclusionVault.address, bytesToHex(encodeVaultCall(call)));
      assert.equal(outcome.ok, false, `${call.name} is refused`);
      const { errorName, args } = decodeErrorResult({ abi, data: outcome.data });
      return [errorName, ...(args ?? [])].join(" ");
    },
    async read(functionName, ...args) {
      const data = encodeFunctionData({ abi, functionName, args });
      const outcome = await chain.call(InclusionVault, InclusionVault.address, data);
      assert.ok(outcome.ok);
      return decodeFunctionResult({ abi, functionName, data: outcome.data });
    },
    async settle(from, batch, payers) {
      const number = (numbers.get(from.address) ?? 0n) + 1n;
      const data = bytesToHex(encodeSettleCall(number, batch, payers));
      const { tx, logs } = await chain.send(from, ProofHub.address, data);
      assert.ok(tx.success, "the batch is settled");
      numbers.set(from.address, number);
      return eventsOf(logs);
    },
  };
}
