/** Compiles the tests' contract. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Abi, Hex } from "viem";

interface Compiler {
  compile(input: string): string;
}

interface Compiled {
  contracts: { "probe.sol"?: { Probe?: { abi: Abi; evm: { bytecode: { object: string } } } } };
}

/** ABI and init code of `Probe`. */
export function compileProbe(): { abi: Abi; bytecode: Hex } {
  const solc: Compiler = createRequire(import.meta.url)("solc");
  const content = readFileSync(new URL("./probe.sol", import.meta.url), "utf8");
  const input = {
    language: "Solidity",
    sources: { "probe.sol": { content } },
    settings: {
      evmVersion: "prague",
      optimizer: { enabled: true },
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  };
  const output: Compiled = JSON.parse(solc.compile(JSON.stringify(input)));
  const probe = output.contracts["probe.sol"]?.Probe;
  if (probe === undefined) throw new Error(`no Probe in ${JSON.stringify(output)}`);
  return { abi: probe.abi, bytecode: `0x${probe.evm.bytecode.object}` };
}
