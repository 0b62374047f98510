/** For tests: a small contract, compiled with solc when a test asks for it. */
import solc from "solc";
import type { Abi, Hex } from "viem";

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;
contract Counter {
  event Increased(address indexed by, uint256 indexed amount, uint256 total);
  uint256 public total;
  error Odd(uint256 amount);
  function increase(uint256 amount) external {
    require(amount < 100, "too much");
    if (amount % 2 == 1) revert Odd(amount);
    total += amount;
    emit Increased(msg.sender, amount, total);
  }
  function divide(uint256 by) external view returns (uint256) { return total / by; }
  function silent() external pure { assembly { revert(0, 0) } }
  function burn() external pure { assembly { invalid() } }
}`;

/** What a deployment needs. */
export interface Compiled {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

interface SolcOutput {
  readonly contracts: Record<
    string,
    Record<string, { readonly abi: Abi; readonly evm: { bytecode: { object: string } } }>
  >;
}

/** Compiles the contract: a counter with an event, a getter and one function per way to fail. */
export function compileCounter(): Compiled {
  const input = {
    language: "Solidity",
    sources: { "Counter.sol": { content: SOURCE } },
    settings: {
      optimizer: { enabled: true },
      evmVersion: "prague",
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  };
  const output: SolcOutput = JSON.parse(solc.compile(JSON.stringify(input)));
  const counter = output.contracts["Counter.sol"]?.Counter;
  if (counter === undefined) throw new Error("the test contract does not compile");
  return { abi: counter.abi, bytecode: `0x${counter.evm.bytecode.object}` };
}
