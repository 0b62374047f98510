/** For tests: a contract that does everything a tracer has to show, compiled with solc when a test asks for it. */
import { type Compiled, compile } from "./compile.ts";

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;
contract Leaf {
  uint256 public word;
  error Refused(uint256 by);
  event Touched(address indexed who, uint256 word);
  constructor(uint256 start) payable { word = start; }
  function touch(uint256 by) external payable returns (uint256) {
    if (by == 13) revert Refused(by);
    require(by != 14, "fourteen");
    word += by;
    emit Touched(msg.sender, word);
    return word;
  }
  function spend() external { while (true) { word += 1; } }
  function read() external view returns (uint256) { return word; }
  function end(address payable to) external { selfdestruct(to); }
}
contract Tree {
  uint256 public word = 7;
  mapping(uint256 => uint256) public slots;
  Leaf public leaf;
  event Grown(uint256 indexed step, bytes data);
  constructor() payable { leaf = new Leaf(1); }
  receive() external payable {}
  function grow(uint256 by) external payable returns (uint256) {
    slots[by] = by; slots[by + 1] = word; word = 0; word = by;
    uint256 got = leaf.touch{value: msg.value}(by);
    emit Grown(by, abi.encode(by, got));
    got += leaf.read();
    (bool ok, bytes memory data) = address(leaf).delegatecall(abi.encodeCall(Leaf.read, ()));
    require(ok && data.length == 32);
    bytes32 hashed = sha256(abi.encode(got)); 
    slots[uint256(hashed)] = got;
    slots[by + 1] = 0;
    return got;
  }
  function survive() external returns (uint256 failures) {
    try leaf.touch(13) { } catch { failures++; }
    try leaf.touch(14) { } catch { failures++; }
    try leaf.spend{gas: 60000}() { } catch { failures++; }
    (bool ok,) = address(leaf).call{value: 1 ether}("");
    if (!ok) failures++;
    word = failures;
  }
  function make(uint256 start, bytes32 salt) external payable returns (address one, address two) {
    one = address(new Leaf{value: msg.value}(start));
    two = address(new Leaf{salt: salt}(start + 1));
    Leaf(two).touch(2);
    Leaf(one).end(payable(address(0xbeef)));
  }
  function refuse() external { word = 99; emit Grown(1, ""); leaf.touch(14); }
  function burn() external { word = 98; assembly { invalid() } }
  function underflow() external { assembly { pop(mload(0)) } word = 97; bytes memory code = hex"5000";
    address at; assembly { at := create(0, add(code, 32), 2) } require(at == address(0)); }
  function endless() external { uint256 i; while (true) { i++; } }
}`;

/** Compiles the contract: writes, reads, calls of every kind, creations, logs, reverts and halts. */
export function compileTraceContract(): Compiled {
  return compile(SOURCE, "Tree");
}
