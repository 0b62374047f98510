/** For tests: compiles a contract with solc when a test asks for it. */
import solc from "solc";
import type { Abi, Hex } from "viem";

/** What a deployment needs. */
export interface Compiled {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

interface SolcOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts?: Readonly<
    Record<string, Readonly<Record<string, { readonly abi: Abi; readonly evm: { bytecode: { object: string } } }>>>
  >;
}

/** Compiles a source, optimised, for Prague, and takes the contract `name` of it. */
export function compile(source: string, name: string): Compiled {
  const input = {
    language: "Solidity",
    sources: { [`${name}.sol`]: { content: source } },
    settings: {
      optimizer: { enabled: true },
      evmVersion: "prague",
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  };
  const output: SolcOutput = JSON.parse(solc.compile(JSON.stringify(input)));
  const contract = output.contracts?.[`${name}.sol`]?.[name];
  if (contract === undefined) throw new Error(`the test contract does not compile: ${JSON.stringify(output.errors)}`);
  return { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` };
}
