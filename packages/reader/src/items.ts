/** What an entry finds on its chain: items to be submitted, and what could not be decoded. */
import { bytesToHex, type Hex, sha256 } from "@cairn/primitives";
import type { ForeignBlock, Json } from "./foreign-block.ts";

/** One thing to submit. */
export interface Item {
  readonly kind: "item";
  readonly height: bigint;
  /** -1 for a block's own hash or proof. */
  readonly logIndex: number;
  /** Of the block. */
  readonly hash: Hex;
  /** Tells one item of a place from another: the value of a commitment, or the digest of a proof. */
  readonly value: string;
  readonly proofData: string;
  readonly evidence: Json;
}

/** Something that was there and is not what it should be. */
export interface Undecodable {
  readonly kind: "undecodable";
  readonly height: bigint;
  readonly logIndex: number;
  readonly hash: Hex | "";
  readonly detail: string;
}

/** Something to submit, or a place that cannot be decoded. */
export type Found = Item | Undecodable;

type Place = Pick<Item, "height" | "logIndex" | "hash" | "evidence">;

/** A value to commit to. */
export function commitmentItem(place: Place, value: Hex): Item {
  const proofData = JSON.stringify({ system: "commitment", encoding: "hex", proof: value });
  return { kind: "item", ...place, value, proofData };
}

/** A proof that was fetched. */
export function proofItem(place: Place, proofData: string): Item {
  return { kind: "item", ...place, value: valueOfProof(proofData), proofData };
}

function valueOfProof(proofData: string): string {
  return `proof:${bytesToHex(sha256(new TextEncoder().encode(proofData)))}`;
}

/** The value of what a submission's `proof_data` hands in: of a commitment its own, of a proof its digest. */
export function itemValue(proofData: string): string {
  try {
    const { system, proof } = JSON.parse(proofData) as { readonly system?: unknown; readonly proof?: unknown };
    return system === "commitment" && typeof proof === "string" ? proof : valueOfProof(proofData);
  } catch {
    return valueOfProof(proofData);
  }
}

/** A block's own place. */
export function blockPlace(block: ForeignBlock): Place {
  return { height: block.height, logIndex: -1, hash: block.hash, evidence: block.evidence };
}
