/** Owns who receives a block's priority fees: the proposer's etherbase in `ValidatorRegistry`, else its own address. */
import { etherbaseSlot, ValidatorRegistry } from "@cairn/contracts";
import type { Native } from "@cairn/native";
import { type Address, bytesToHex } from "@cairn/primitives";

/** The etherbase of a 20-byte consensus address in the state after block `number`. */
export function etherbaseAt(native: Pick<Native, "storage">, consensusAddress: Uint8Array, number: bigint): Address {
  const word = native.storage(ValidatorRegistry.address, etherbaseSlot(consensusAddress), number);
  const registered = word?.subarray(12);
  return bytesToHex(registered?.some((byte) => byte !== 0) ? registered : consensusAddress);
}
