/** When a block may be taken. */

/** At once, N blocks deep, or when the chain's own tag has passed it. */
export type Finality =
  | { readonly kind: "instant" }
  | { readonly kind: "depth"; readonly confirmations: number }
  | { readonly kind: "tag"; readonly tag: "finalized" | "safe" };
