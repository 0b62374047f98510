/** Small contracts for tests, compiled by the real compiler. */
import solc from "solc";

export interface Compiled {
  readonly abi: readonly Record<string, unknown>[];
  readonly bytecode: `0x${string}`;
}

/** Compiles the one contract of a source, beside interfaces, for Prague. */
export function compile(source: string): Compiled {
  const input = {
    language: "Solidity",
    sources: { "test.sol": { content: `// SPDX-License-Identifier: MIT\npragma solidity ^0.8.30;\n${source}` } },
    settings: {
      evmVersion: "prague",
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const compiled = Object.values<{ abi: Compiled["abi"]; evm: { bytecode: { object: string } } }>(
    output.contracts?.["test.sol"] ?? {},
  );
  const contract = compiled.find(({ evm }) => evm.bytecode.object !== "");
  if (contract === undefined) throw new Error(JSON.stringify(output.errors));
  return { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` };
}

/** A counter with an event, a revert with a reason and a mapping. */
export const COUNTER_SOURCE = `
contract Counter {
    event Increased(address indexed by, uint256 indexed round, uint256 value);
    uint256 public value;
    mapping(address => uint256) public by;
    function increase(uint256 amount) external {
        require(amount > 0, "nothing to add");
        value += amount;
        by[msg.sender] += amount;
        emit Increased(msg.sender, block.number, value);
    }
}`;
