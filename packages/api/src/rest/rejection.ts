/**
 * Why a submission ends as `rejected`: the verifier's codes and the settlement's one, each with its meaning. These
 * stand in `error.code` of a submission, never in a problem answer.
 */
export const rejections = {
  malformed: "A field is missing, has a wrong type or length, or is not in canonical form.",
  "unrecognised-format": "A bare artifact of no known shape.",
  "unsupported-system": "The envelope names a proof system this service does not verify.",
  "unsupported-encoding": "The envelope names an encoding this system is not read in.",
  "unsupported-version": "The envelope names a version this service does not verify.",
  "unknown-vk": "The verification key is referred to by a hash that is not registered.",
  "wrong-input-count": "The number of public inputs differs from the key's.",
  "input-out-of-field": "A public input is not below the field order; inputs are never reduced.",
  "not-on-curve": "A point does not satisfy the curve equation.",
  "not-in-subgroup": "A point is on the curve but not in the prime-order subgroup.",
  "invalid-proof": "Everything is well-formed and the verification equation fails.",
  "quote-mismatch": "The submission's quote is for another system than its proof; nothing is charged.",
  "excluded-in-consensus":
    "The validators excluded the slot that this service had verified: an alarm for the operator.",
} as const satisfies Record<string, string>;

/** Stable code in `error.code` of a rejected submission. */
export type RejectionCode = keyof typeof rejections;
