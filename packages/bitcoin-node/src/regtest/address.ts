/** Addresses of regtest (BIP 173) and their output scripts. */
import { Address, OutScript } from "@scure/btc-signer";
import { ADDRESS_PREFIXES } from "../wallet-network.ts";
import { FAULT, RegtestFault } from "./fault.ts";

const { regtest } = ADDRESS_PREFIXES;

/** The output script of a regtest address. Throws `RegtestFault` (-5). */
export function scriptOfAddress(address: string): Uint8Array {
  try {
    return OutScript.encode(Address(regtest).decode(address));
  } catch {
    throw new RegtestFault(FAULT.notFound, "Error: Invalid address");
  }
}

/** The regtest address of an output script; undefined when it has none. */
export function addressOfScript(script: Uint8Array): string | undefined {
  try {
    return Address(regtest).encode(OutScript.decode(script));
  } catch {
    return undefined;
  }
}
