/** For tests: a small contract, compiled with solc when a test asks for it. */
import { type Compiled, compile } from "./compile.ts";

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

/** Compiles the contract: a counter with an event, a getter and one function per way to fail. */
export function compileCounter(): Compiled {
  return compile(SOURCE, "Counter");
}
