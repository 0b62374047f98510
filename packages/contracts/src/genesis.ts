/** What the predeploys put into the genesis state. */
import type { Hex } from "./hex.ts";
import { DEFAULT_WITHDRAWAL_DELAY_SECONDS, vaultStorage } from "./inclusion-vault.ts";
import { InclusionVault, ProofHub, ValidatorRegistry } from "./predeploy.ts";
import { type GenesisValidator, registryStorage } from "./validator-registry.ts";

/** Code and storage of one genesis account. */
export interface PredeployAccount {
  readonly code: Hex;
  /** 32-byte keys and values. */
  readonly storage: Record<Hex, Hex>;
  readonly nonce: 1;
}

/** The predeploys by address. Throws RangeError for an owner, validator or delay whose values do not fit. */
export function predeployAlloc(options: {
  readonly owner: Hex;
  readonly validators: readonly GenesisValidator[];
  /** Of the vault's withdrawals; 3,600 when absent. */
  readonly withdrawalDelaySeconds?: bigint;
}): Record<Hex, PredeployAccount> {
  return {
    [ProofHub.address]: { code: ProofHub.runtimeBytecode, storage: {}, nonce: 1 },
    [InclusionVault.address]: {
      code: InclusionVault.runtimeBytecode,
      storage: vaultStorage(options.withdrawalDelaySeconds ?? DEFAULT_WITHDRAWAL_DELAY_SECONDS),
      nonce: 1,
    },
    [ValidatorRegistry.address]: {
      code: ValidatorRegistry.runtimeBytecode,
      storage: registryStorage(options.owner, options.validators),
      nonce: 1,
    },
  };
}
