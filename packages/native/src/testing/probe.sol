// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// What the tests of execution need of a contract: storage, logs, reverts, the block environment, gas.
contract Probe {
    uint256 public value;
    mapping(uint256 => uint256) public slots;

    event Set(address indexed who, uint256 indexed value, bytes note);

    error Refused(uint256 code);

    function set(uint256 next) external payable {
        value = next;
        emit Set(msg.sender, next, "note");
    }

    function fill(uint256 from, uint256 count) external {
        for (uint256 i = from; i < from + count; i++) slots[i] = i + 1;
    }

    function clear(uint256 from, uint256 count) external {
        for (uint256 i = from; i < from + count; i++) delete slots[i];
    }

    function fail() external pure {
        revert("no");
    }

    function refuse() external pure {
        revert Refused(7);
    }

    function invalid() external pure {
        assembly {
            invalid()
        }
    }

    function environment()
        external
        view
        returns (uint256, uint256, address, uint256, uint256, bytes32, uint256, uint256)
    {
        return (
            block.number,
            block.timestamp,
            block.coinbase,
            block.basefee,
            block.prevrandao,
            blockhash(block.number - 1),
            block.gaslimit,
            block.chainid
        );
    }

    /// Needs much more gas than it uses: 63/64 of it stay behind in the inner call.
    function nested(uint256 depth) external returns (uint256) {
        if (depth == 0) {
            require(gasleft() > 100_000, "thin");
            return 0;
        }
        return this.nested(depth - 1) + 1;
    }

    function destroyFresh() external payable returns (address) {
        Ephemeral made = new Ephemeral{value: msg.value}();
        made.destroy(payable(msg.sender));
        return address(made);
    }
}

contract Ephemeral {
    uint256 private mark = 1;

    constructor() payable {}

    function destroy(address payable to) external {
        selfdestruct(to);
    }
}
