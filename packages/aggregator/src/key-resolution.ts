/**
 * Verification with the registry's keys: what refers to a key by hash and is refused for want of it is verified again
 * with the key, all such items of a group in one further call. Does not judge proofs.
 */
import type { Hash } from "@cairn/primitives";
import type { ProofItem, Verdict, VerifierPort } from "./ports.ts";
import type { VerificationKeyStore } from "./verification-keys.ts";

/** The verifier that finds the keys its proofs refer to. */
export function resolvingVerifier(
  verifier: VerifierPort,
  keys: Pick<VerificationKeyStore, "canonicalKeys">,
): VerifierPort {
  return {
    verify: async (items) => {
      const verdicts = [...(await verifier.verify(items))];
      const wanted = verdicts.map(wantedKey);
      const hashes = wanted.filter((hash) => hash !== undefined);
      if (hashes.length === 0) return verdicts;
      const found = await keys.canonicalKeys(hashes);
      const again = items.flatMap((item, index) => {
        const hash = wanted[index];
        const key = hash === undefined ? undefined : found.get(hash);
        return key === undefined ? [] : [{ index, item: withKey(item, key) }];
      });
      if (again.length === 0) return verdicts;
      const second = await verifier.verify(again.map(({ item }) => item));
      for (const [position, { index }] of again.entries()) {
        const verdict = second[position];
        if (verdict !== undefined) verdicts[index] = verdict;
      }
      return verdicts;
    },
  };
}

function wantedKey(verdict: Verdict): Hash | undefined {
  return verdict.ok ? undefined : verdict.vkHash;
}

function withKey(item: ProofItem, key: Uint8Array): ProofItem {
  return typeof item === "string" ? { proofData: item, key } : { ...item, key };
}
