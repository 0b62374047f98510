/** What the service's keys are known by: an account of the chain, an address of a Bitcoin network. */
import { createAnchorWallet } from "@cairn/bitcoin-node";
import type { NetworkName } from "../options.ts";

/** The address that pays anchors: what an operator funds. */
export function anchorAddress(anchorKey: Uint8Array, network: NetworkName): string {
  return createAnchorWallet({ privateKey: anchorKey, network }).address;
}
