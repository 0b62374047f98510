/** What the service's keys are known by: an account of the chain, an address of a Bitcoin network. */
import { createAnchorWallet, createPsbtSigner } from "@cairn/bitcoin-node";
import type { NetworkName } from "../options.ts";

/** The address that pays anchors, of a secret key (32 bytes) or a compressed public one (33): what an operator funds. */
export function anchorAddress(key: Uint8Array, network: NetworkName): string {
  if (key.length === 32) return createAnchorWallet({ privateKey: key, network }).address;
  const nobody = async (): Promise<never> => Promise.reject(new Error("only the address is asked for"));
  return createPsbtSigner({ publicKey: key, network, capSat: 0, exchange: nobody }).address;
}
