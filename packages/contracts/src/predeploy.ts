/** The contracts of the genesis: address, code, ABI, storage layout. Owns what a predeploy is, not what it does. */
import inclusionVault from "../artifacts/InclusionVault.json" with { type: "json" };
import proofHub from "../artifacts/ProofHub.json" with { type: "json" };
import validatorRegistry from "../artifacts/ValidatorRegistry.json" with { type: "json" };
import type { Hex } from "./hex.ts";

/** A state variable's place. */
export interface StorageEntry {
  readonly label: string;
  /** Decimal. */
  readonly slot: string;
  /** Bytes from the low end of the slot. */
  readonly offset: number;
  /** As the compiler names it. */
  readonly type: string;
}

/** A contract whose code stands in the genesis. */
export interface Predeploy {
  readonly address: Hex;
  readonly runtimeBytecode: Hex;
  /** JSON ABI. */
  readonly abi: readonly unknown[];
  readonly storageLayout: readonly StorageEntry[];
}

/** The `VerifyProofs` precompile; it has no code. */
export const VERIFY_PROOFS_ADDRESS: Hex = "0x000000000000000000000000000000000000c000";

/** Settles batches of proofs. */
export const ProofHub: Predeploy = {
  address: "0x000000000000000000000000000000000000c001",
  runtimeBytecode: proofHub.runtimeBytecode as Hex,
  abi: proofHub.abi,
  storageLayout: proofHub.storageLayout,
};

/** Prepaid inclusion: deposits, allowances, charges, withdrawals. */
export const InclusionVault: Predeploy = {
  address: "0x000000000000000000000000000000000000c002",
  runtimeBytecode: inclusionVault.runtimeBytecode as Hex,
  abi: inclusionVault.abi,
  storageLayout: inclusionVault.storageLayout,
};

/** The chain's validators and who receives their fees. */
export const ValidatorRegistry: Predeploy = {
  address: "0x000000000000000000000000000000000000c003",
  runtimeBytecode: validatorRegistry.runtimeBytecode as Hex,
  abi: validatorRegistry.abi,
  storageLayout: validatorRegistry.storageLayout,
};
