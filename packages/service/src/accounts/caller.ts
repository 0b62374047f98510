/** Who calls a route, as handlers see it. */
import type { Scope } from "@cairn/api";
import type { Agreement, RateLimits } from "./account.ts";

/** A caller; on public routes `NOBODY`. */
export interface Caller {
  readonly account: string;
  readonly keyId: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly limits: RateLimits;
  readonly agreement: Agreement | undefined;
  /** No rate and no quota limits it: the reader in the same process. */
  readonly exempt: boolean;
}

/** The caller of public routes. */
export const NOBODY: Caller = {
  account: "",
  keyId: "",
  scopes: new Set(),
  limits: { perMinute: 0, burst: 0 },
  agreement: undefined,
  exempt: false,
};
