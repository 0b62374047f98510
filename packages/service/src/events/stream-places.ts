/** How many event streams are open: of one key and in all. */

/** Places for streams. */
export interface StreamPlaces {
  /** Takes a place; answers how to give it back, or which bound is reached. */
  take(
    keyId: string,
  ): { readonly ok: true; readonly leave: () => void } | { readonly ok: false; readonly full: "key" | "all" };
  /** Open streams. */
  open(): number;
}

/** Bounds of the service. */
export const STREAM_LIMITS = { perKey: 8, inAll: 512 } as const;

/** Makes the places. */
export function createStreamPlaces(limits: { readonly perKey: number; readonly inAll: number }): StreamPlaces {
  const taken = new Map<string, number>();
  let open = 0;
  return {
    open: () => open,
    take: (keyId) => {
      const own = taken.get(keyId) ?? 0;
      if (own >= limits.perKey) return { ok: false, full: "key" };
      if (open >= limits.inAll) return { ok: false, full: "all" };
      taken.set(keyId, own + 1);
      open += 1;
      let left = false;
      const leave = (): void => {
        if (left) return;
        left = true;
        open -= 1;
        const rest = (taken.get(keyId) ?? 1) - 1;
        if (rest === 0) taken.delete(keyId);
        else taken.set(keyId, rest);
      };
      return { ok: true, leave };
    },
  };
}
