// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// The validators of the chain: consensus key and power, set by the owner; who receives a block's fees, set by each
/// validator's operator. Genesis writes the storage directly, so its layout is part of the interface:
/// slot 0 owner; slot 1 mapping from consensus address to Validator; slot 2 list of consensus addresses.
contract ValidatorRegistry {
    struct Validator {
        /// ed25519 public key.
        bytes32 pubKey;
        /// May change the etherbase.
        address operator;
        /// Voting power; 0 = not in the active set.
        uint64 power;
        /// Receives the fees of the blocks it proposes; zero = the consensus address itself.
        address etherbase;
    }

    /// May set validators and the next owner: an address, or a contract of the operators.
    address public owner;
    /// By consensus address: the first 20 bytes of the SHA-256 of the key, as CometBFT has it.
    mapping(address consensusAddress => Validator) private validators;
    /// Every consensus address ever set, in order.
    address[] private consensusAddresses;

    event OwnerSet(address indexed owner);
    event ValidatorSet(
        address indexed consensusAddress, bytes32 pubKey, uint64 power, address operator, address etherbase
    );
    event EtherbaseSet(address indexed consensusAddress, address etherbase);

    /// The sender is not the owner.
    error NotOwner();
    /// The sender is not this validator's operator.
    error NotOperator();
    /// A validator needs a key and an operator, the registry an owner.
    error ZeroValue();

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner();
        _;
    }

    /// Hands the registry over.
    function setOwner(address next) external onlyOwner {
        if (next == address(0)) revert ZeroValue();
        owner = next;
        emit OwnerSet(next);
    }

    /// Adds a validator or replaces its power, operator and etherbase; power 0 retires it.
    function setValidator(bytes32 pubKey, uint64 power, address operator, address etherbase)
        external
        onlyOwner
        returns (address consensusAddress)
    {
        if (pubKey == 0 || operator == address(0)) revert ZeroValue();
        consensusAddress = address(bytes20(sha256(abi.encodePacked(pubKey))));
        if (validators[consensusAddress].pubKey == 0) consensusAddresses.push(consensusAddress);
        validators[consensusAddress] = Validator(pubKey, operator, power, etherbase);
        emit ValidatorSet(consensusAddress, pubKey, power, operator, etherbase);
    }

    /// Changes who receives the fees of a validator's blocks; by its operator, from the next block on.
    function setEtherbase(address consensusAddress, address etherbase) external {
        if (msg.sender != validators[consensusAddress].operator) revert NotOperator();
        validators[consensusAddress].etherbase = etherbase;
        emit EtherbaseSet(consensusAddress, etherbase);
    }

    /// All zero when unknown.
    function validator(address consensusAddress) external view returns (Validator memory) {
        return validators[consensusAddress];
    }

    /// How many validators were ever set.
    function count() external view returns (uint256) {
        return consensusAddresses.length;
    }

    /// The consensus address at a position below `count`.
    function consensusAddressAt(uint256 index) external view returns (address) {
        return consensusAddresses[index];
    }
}
