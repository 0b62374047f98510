/** How many answers last: of one key and in all. Event streams and long polls each have their own places. */

/** Places. */
export interface Places {
  /** Takes a place; answers how to give it back, or which bound is reached. */
  take(
    keyId: string,
  ): { readonly ok: true; readonly leave: () => void } | { readonly ok: false; readonly full: "key" | "all" };
  /** Places taken. */
  open(): number;
}

/** Bounds of event streams. */
export const STREAM_LIMITS = { perKey: 8, inAll: 512 } as const;
/** Bounds of long polls: each change of a submission is looked at by everyone who waits. */
export const WAIT_LIMITS = { perKey: 128, inAll: 1_024 } as const;

/** Makes the places. */
export function createPlaces(limits: { readonly perKey: number; readonly inAll: number }): Places {
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
