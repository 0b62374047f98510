/** Owns the logs bloom filter (Yellow Paper, section 4.3.1): 2048 bits, three per address or topic. */
import { keccak256 } from "./hash.ts";
import { type Address, type Hash, type Hex, hexToBytes } from "./hex.ts";

/** A log as consensus sees it. */
export interface Log {
  readonly address: Address;
  readonly topics: readonly Hash[];
  readonly data: Hex;
}

function bits(value: Uint8Array): number[] {
  const hash = keccak256(value);
  return [0, 2, 4].map((i) => (((hash[i] ?? 0) << 8) | (hash[i + 1] ?? 0)) & 2047);
}

/** The bloom of some logs: 256 bytes. */
export function logsBloom(logs: readonly Log[]): Uint8Array {
  const bloom = new Uint8Array(256);
  for (const log of logs) {
    for (const value of [log.address, ...log.topics]) {
      for (const bit of bits(hexToBytes(value)))
        bloom[255 - (bit >> 3)] = (bloom[255 - (bit >> 3)] ?? 0) | (1 << (bit & 7));
    }
  }
  return bloom;
}

/** Whether `value` (an address or topic) may be in the bloom; false is certain. */
export function bloomContains(bloom: Uint8Array, value: Uint8Array): boolean {
  return bits(value).every((bit) => ((bloom[255 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0);
}
