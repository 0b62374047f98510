/** The Solidity predeploys: addresses, code, calls, events, genesis storage. Sources stand in `solidity/`. */
export {
  DEMO_DEPLOYER_SEED,
  DEMO_ROLLUP_ABI,
  DEMO_ROLLUP_ADDRESS,
  DEMO_ROLLUP_EVENT,
  demoRollupCreationCode,
  encodePublishCall,
} from "./demo-rollup.ts";
export { type PredeployAccount, predeployAlloc } from "./genesis.ts";
export { DEFAULT_WITHDRAWAL_DELAY_SECONDS, encodeVaultCall, type VaultCall } from "./inclusion-vault.ts";
export {
  InclusionVault,
  type Predeploy,
  ProofHub,
  type StorageEntry,
  ValidatorRegistry,
  VERIFY_PROOFS_ADDRESS,
} from "./predeploy.ts";
export {
  BATCH_SETTLED_TOPIC,
  type BatchSettled,
  decodeBatchSettled,
  encodeIsSettledCall,
  encodeSettleCall,
} from "./proof-hub.ts";
export { encodeSetEtherbaseCall, etherbaseSlot, type GenesisValidator, operatorSlot } from "./validator-registry.ts";
export {
  decodeVaultEvent,
  SHORTFALL_REASONS,
  type ShortfallReason,
  VAULT_TOPICS,
  type VaultEvent,
} from "./vault-event.ts";
export { encodeVerifyInclusionCall, type Inclusion } from "./verify-inclusion.ts";
