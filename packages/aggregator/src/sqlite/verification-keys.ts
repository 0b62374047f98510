/** The table of verification keys. */
import { hexToBytes } from "@cairn/primitives";
import { keyShape } from "../key-shape.ts";
import type { NewVerificationKey, VerificationKeyStore } from "../verification-keys.ts";
import { blob, hex, integer, text } from "./columns.ts";
import type { Database } from "./database.ts";
import { isMarked, markRequest } from "./request-marks.ts";

/** Stores a key unless it is known; answers whether it was not. The caller owns the transaction. */
export function insertKey(database: Database, key: NewVerificationKey, nowMs: number): boolean {
  const { vkHash, system, curve, canonicalKey } = key;
  const known = database.get("SELECT 1 AS known FROM verification_keys WHERE vk_hash = ?", hexToBytes(vkHash));
  if (known !== undefined) return false;
  database.run(
    `INSERT INTO verification_keys (vk_hash, canonical_key, size, system, curve, commitments, registered_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    hexToBytes(vkHash),
    canonicalKey,
    canonicalKey.length,
    system,
    curve,
    keyShape(curve, canonicalKey).commitments,
    nowMs,
  );
  return true;
}

/** The registry on an open database. */
export function verificationKeyStore(database: Database): VerificationKeyStore {
  return {
    registerKey: async (key, nowMs, request) =>
      database.transaction(() => {
        const subject = hexToBytes(key.vkHash);
        const isNew = insertKey(database, key, nowMs);
        if (request === undefined) return isNew;
        if (isNew) markRequest(database, request, subject, nowMs);
        return isMarked(database, request, subject, nowMs);
      }),
    verificationKey: async (vkHash) => {
      const row = database.get("SELECT * FROM verification_keys WHERE vk_hash = ?", hexToBytes(vkHash));
      if (row === undefined) return undefined;
      return {
        vkHash: hex(row, "vk_hash"),
        system: text(row, "system"),
        curve: text(row, "curve"),
        canonicalKey: blob(row, "canonical_key"),
        registeredAtMs: integer(row, "registered_at"),
      };
    },
    canonicalKeys: async (vkHashes) => {
      const found = new Map();
      for (const vkHash of new Set(vkHashes)) {
        const row = database.get("SELECT canonical_key FROM verification_keys WHERE vk_hash = ?", hexToBytes(vkHash));
        if (row !== undefined) found.set(vkHash, blob(row, "canonical_key"));
      }
      return found;
    },
  };
}
