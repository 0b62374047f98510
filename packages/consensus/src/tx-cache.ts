/** Owns which transactions were handed in lately: CometBFT's mempool cache, which refuses a second time what it took. */
import { bytesToUpperHex } from "@cairn/comet";
import { platformSha256 } from "./platform-sha256.ts";

/** CometBFT's `mempool.cache_size`. */
const CACHE_SIZE = 10_000;

/** The transactions, by hash. */
export interface TxCache {
  /** Takes a transaction in; `false` when it is in already. */
  add(tx: Uint8Array): boolean;
  /** Forgets one that was refused: it may come again. */
  remove(tx: Uint8Array): void;
}

/** An empty cache; the oldest leaves when it is full. */
export function createTxCache(size = CACHE_SIZE): TxCache {
  const hashes = new Set<string>();
  const keyOf = (tx: Uint8Array): string => bytesToUpperHex(platformSha256(tx));
  return {
    add(tx) {
      const key = keyOf(tx);
      if (hashes.has(key)) return false;
      if (hashes.size >= size) {
        for (const oldest of hashes) {
          hashes.delete(oldest);
          break;
        }
      }
      hashes.add(key);
      return true;
    },
    remove: (tx) => void hashes.delete(keyOf(tx)),
  };
}
