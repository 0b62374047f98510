/** Proof items and verification keys as the addon takes them, verdicts as it answers them. */
import { type Hash, type Hex, hexToBytes } from "@cairn/primitives";
import type { AddonProofItem } from "./addon.ts";
import type { KeyVerdict, ProofErrorCode, ProofItem, ProofVerdict, SubmittedKey } from "./boundary/proof.ts";

/** An item as the addon takes it. */
export function proofItem(item: ProofItem): string | AddonProofItem {
  if (typeof item === "string") return item;
  const { proofData, profile, key } = item;
  const { vkHash, curve } = profile ?? {};
  return {
    proofData,
    ...(profile && {
      profile: {
        system: profile.system,
        encoding: profile.encoding,
        ...(curve !== undefined && { curve }),
        ...(vkHash !== undefined && { vkHash: hexToBytes(vkHash) }),
      },
    }),
    ...(key && { key }),
  };
}

interface VerifiedText {
  ok: true;
  kind: "proof" | "commitment";
  system: string;
  curve: string;
  encoding: string;
  version: string;
  vkHash: Hash;
  publicInputsHash: Hash;
  proofHash: Hash;
  canonicalProof: Hex;
  canonicalKey: Hex;
  publicInputs: Hex;
}

/** Verdicts, in the order asked. */
export function toVerdicts(json: string): ProofVerdict[] {
  const texts: (VerifiedText | Extract<ProofVerdict, { ok: false }>)[] = JSON.parse(json);
  return texts.map((text) => {
    if (!text.ok) return text;
    return {
      ...text,
      canonicalProof: hexToBytes(text.canonicalProof),
      canonicalKey: hexToBytes(text.canonicalKey),
      publicInputs: hexToBytes(text.publicInputs),
    };
  });
}

/** A submitted key as the addon takes it. */
export function keyText({ system, curve, encoding, vk }: SubmittedKey): string {
  return JSON.stringify({ system, curve, encoding, vk });
}

type RefusedText = { ok: false; code: ProofErrorCode; detail: string };
type KeyText = Omit<Extract<KeyVerdict, { ok: true }>, "canonicalKey"> & { canonicalKey: Hex };

/** What was found of a key. */
export function toKeyVerdict(json: string): KeyVerdict {
  const text: KeyText | RefusedText = JSON.parse(json);
  return text.ok ? { ...text, canonicalKey: hexToBytes(text.canonicalKey) } : text;
}
