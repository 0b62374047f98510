/**
 * Compiles the Solidity predeploys with the pinned compiler into `artifacts/`, byte for byte the same on every machine:
 * `node --conditions=cairn-source tools/compile.ts`. Owns the compiler's settings; a test compares the result with the
 * committed artifacts.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** What an artifact file holds. */
export interface Artifact {
  readonly contractName: string;
  readonly compiler: string;
  readonly abi: readonly unknown[];
  /** 0x-hex, as it stands in the genesis: without constructor. */
  readonly runtimeBytecode: string;
  readonly storageLayout: unknown;
}

interface Output {
  readonly errors?: readonly { severity: string; formattedMessage: string }[];
  readonly contracts?: Record<string, Record<string, CompiledContract>>;
}

interface CompiledContract {
  readonly abi: readonly unknown[];
  readonly storageLayout: { storage: readonly StorageEntry[]; types: Record<string, StorageType> | null };
  readonly evm: { deployedBytecode: { object: string } };
}

interface StorageEntry {
  readonly label: string;
  readonly slot: string;
  readonly offset: number;
  readonly type: string;
}

interface StorageType {
  readonly encoding: string;
  readonly numberOfBytes: string;
}

interface Compiler {
  version(): string;
  compile(input: string): string;
}

/** The contracts compiled, one source file each. */
export const CONTRACTS = ["DemoRollup", "InclusionVault", "ProofHub", "ValidatorRegistry"] as const;

const SETTINGS = {
  evmVersion: "prague",
  viaIR: true,
  optimizer: { enabled: true, runs: 10_000 },
  metadata: { bytecodeHash: "none", appendCBOR: false },
  outputSelection: { "*": { "*": ["abi", "evm.deployedBytecode.object", "storageLayout"] } },
};

/** Compiles every contract. Throws an Error with the compiler's messages, warnings included. */
export function compile(): readonly Artifact[] {
  const solc: Compiler = require("solc");
  const source = (name: string) => readFileSync(new URL(`../solidity/${name}.sol`, import.meta.url), "utf8");
  const sources = Object.fromEntries(CONTRACTS.map((name) => [`${name}.sol`, { content: source(name) }]));
  const output: Output = JSON.parse(
    solc.compile(JSON.stringify({ language: "Solidity", sources, settings: SETTINGS })),
  );
  const messages = (output.errors ?? []).map((error) => error.formattedMessage);
  if (messages.length > 0) throw new Error(messages.join("\n"));
  return CONTRACTS.map((name) => artifact(name, solc.version(), output.contracts?.[`${name}.sol`]?.[name]));
}

function artifact(contractName: string, compiler: string, compiled: CompiledContract | undefined): Artifact {
  if (compiled === undefined) throw new Error(`the compiler gave no ${contractName}`);
  const { storage } = compiled.storageLayout;
  return {
    contractName,
    compiler,
    abi: compiled.abi,
    runtimeBytecode: `0x${compiled.evm.deployedBytecode.object}`,
    storageLayout: storage.map(({ label, slot, offset, type }) => ({ label, slot, offset, type })),
  };
}

/** The committed form of an artifact. */
export function artifactText(artifact: Artifact): string {
  return `${JSON.stringify(artifact, null, 2)}\n`;
}

/** Where an artifact is committed. */
export function artifactFile(contractName: string): URL {
  return new URL(`../artifacts/${contractName}.json`, import.meta.url);
}

if (import.meta.main) {
  for (const artifact of compile()) writeFileSync(artifactFile(artifact.contractName), artifactText(artifact));
}
