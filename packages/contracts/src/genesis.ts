/** What the predeploys put into the genesis state. */
import type { Hex } from "./hex.ts";
import { ProofHub, ValidatorRegistry } from "./predeploy.ts";
import { type GenesisValidator, registryStorage } from "./validator-registry.ts";

/** Code and storage of one genesis account. */
export interface PredeployAccount {
  readonly code: Hex;
  /** 32-byte keys and values. */
  readonly storage: Record<Hex, Hex>;
  readonly nonce: 1;
}

/** The predeploys by address. Throws RangeError for an owner or validator whose values do not fit. */
export function predeployAlloc(options: {
  readonly owner: Hex;
  readonly validators: readonly GenesisValidator[];
}): Record<Hex, PredeployAccount> {
  return {
    [ProofHub.address]: { code: ProofHub.runtimeBytecode, storage: {}, nonce: 1 },
    [ValidatorRegistry.address]: {
      code: ValidatorRegistry.runtimeBytecode,
      storage: registryStorage(options.owner, options.validators),
      nonce: 1,
    },
  };
}
