// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

interface IInclusionVault {
    function charge(address settler, uint64 number, address[] calldata payers, bytes calldata charges) external;
}

/// Settles batches of proofs: every validator verifies each proof through the precompile, the batch's commitment is
/// kept for good. Batches belong to their submitter: own numbers from 1, own chain of headers. Holds no money.
contract ProofHub {
    /// The VerifyProofs precompile.
    address private constant VERIFY_PROOFS = address(0xc000);
    /// Takes the charges of a settled batch.
    IInclusionVault private constant VAULT = IInclusionVault(address(0xc002));
    /// u8 version, u64 chain id, 20-byte submitter, u64 number, u32 size, root, previous commitment.
    uint256 private constant HEADER_BYTES = 105;
    uint256 private constant HEADER_SIZE_AT = 37;
    uint256 private constant HEADER_ROOT_AT = 41;
    /// Of the precompile's output beside its bitmap: root before it, two counts of four bytes behind it.
    uint256 private constant OUTPUT_FIXED_BYTES = 40;
    /// Of the precompile's output for each payer: u32 count, u256 total, u128 highest price.
    uint256 private constant CHARGE_BYTES = 52;

    /// What the precompile found of a batch.
    struct Verdict {
        bytes32 root;
        uint32 verified;
        uint32 commitments;
        bytes excluded;
        /// Of each payer, as the precompile writes them.
        bytes charges;
    }

    /// Number of the submitter's last batch; 0 before the first.
    mapping(address submitter => uint64) public numberOf;
    /// Commitment of the submitter's last batch; zero before the first.
    mapping(address submitter => bytes32) public headOf;
    /// Whether a batch with this commitment was settled here.
    mapping(bytes32 commitment => bool) public isSettled;

    /// `excluded` is empty when every slot is included; else slot i is bit 7 - i % 8 of byte i / 8.
    event BatchSettled(
        address indexed submitter,
        uint64 indexed number,
        bytes32 indexed commitment,
        bytes32 root,
        uint32 size,
        uint32 verified,
        uint32 commitments,
        bytes excluded
    );

    /// The submitter's next batch has another number.
    error WrongNumber(uint64 expected, uint64 given);
    /// The batch announces another number of payers than the call names.
    error WrongPayerCount(uint256 announced, uint256 given);
    /// The precompile refused the batch's framing, or had too little gas.
    error BatchRefused();

    /// Verifies the input of VerifyProofs and settles it as the sender's batch `number`. A false proof does not revert:
    /// its slot is excluded and keeps its index. `payers` are those that the slots' payer indices name; each is charged
    /// once for its included slots, and one that is short is skipped.
    function settle(uint64 number, bytes calldata batch, address[] calldata payers) external returns (bytes32 commitment) {
        uint64 expected = numberOf[msg.sender] + 1;
        if (number != expected) revert WrongNumber(expected, number);
        (uint256 payerCount, uint32 size) = counts(batch);
        if (payers.length != payerCount) revert WrongPayerCount(payerCount, payers.length);
        Verdict memory verdict = verify(batch, size, payerCount);
        commitment = sha256(
            abi.encodePacked(uint8(1), uint64(block.chainid), msg.sender, number, size, verdict.root, headOf[msg.sender])
        );
        numberOf[msg.sender] = number;
        headOf[msg.sender] = commitment;
        isSettled[commitment] = true;
        emit BatchSettled(
            msg.sender,
            number,
            commitment,
            verdict.root,
            size,
            verdict.verified,
            verdict.commitments,
            verdict.excluded
        );
        if (payerCount != 0) VAULT.charge(msg.sender, number, payers, verdict.charges);
    }

    /// Whether `leaf` stands at `index` in the tree of a settled batch: the RFC 6962 path against the root and size of
    /// its header.
    function verifyInclusion(
        bytes32 commitment,
        bytes calldata header,
        bytes32 leaf,
        uint32 index,
        bytes32[] calldata path
    ) external view returns (bool) {
        if (!isSettled[commitment] || header.length != HEADER_BYTES || sha256(header) != commitment) return false;
        uint256 last = uint32(bytes4(header[HEADER_SIZE_AT:HEADER_ROOT_AT]));
        if (index >= last) return false;
        last -= 1;
        uint256 position = index;
        bytes32 hash = leaf;
        for (uint256 i = 0; i < path.length; ++i) {
            if (last == 0) return false;
            if (position & 1 == 1 || position == last) {
                hash = sha256(abi.encodePacked(bytes1(0x01), path[i], hash));
                while (position & 1 == 0 && position != 0) {
                    position >>= 1;
                    last >>= 1;
                }
            } else {
                hash = sha256(abi.encodePacked(bytes1(0x01), hash, path[i]));
            }
            position >>= 1;
            last >>= 1;
        }
        return last == 0 && hash == bytes32(header[HEADER_ROOT_AT:HEADER_ROOT_AT + 32]);
    }

    /// Payers and slots that the batch announces behind its keys. Reads beyond the batch are refused by the precompile.
    function counts(bytes calldata batch) private pure returns (uint256 payerCount, uint32 size) {
        uint256 offset = 3;
        for (uint256 keys = word(batch, 1) >> 240; keys != 0; --keys) {
            offset += 5 + uint32(word(batch, offset + 1) >> 224);
        }
        payerCount = word(batch, offset) >> 240;
        size = uint32(word(batch, offset + 2) >> 224);
    }

    /// 32 bytes from an offset; zeros behind the batch.
    function word(bytes calldata batch, uint256 offset) private pure returns (uint256 value) {
        if (offset >= batch.length) return 0;
        assembly ("memory-safe") {
            value := calldataload(add(batch.offset, offset))
        }
    }

    /// Calls the precompile and reads its output for a batch of `size` slots.
    function verify(bytes calldata batch, uint32 size, uint256 payerCount) private view returns (Verdict memory verdict) {
        uint256 bitmapBytes = (uint256(size) + 7) / 8;
        uint256 chargesBytes = CHARGE_BYTES * payerCount;
        uint256 outputBytes = OUTPUT_FIXED_BYTES + bitmapBytes + chargesBytes;
        address precompile = VERIFY_PROOFS;
        bool ok;
        uint256 output;
        uint256 countsWord;
        // The batch lies above the free memory pointer, which stays where it is; the output overwrites the batch.
        assembly ("memory-safe") {
            output := mload(0x40)
            calldatacopy(output, batch.offset, batch.length)
            ok := staticcall(gas(), precompile, output, batch.length, 0, 0)
            ok := and(ok, eq(returndatasize(), outputBytes))
            if ok {
                returndatacopy(output, 0, outputBytes)
                countsWord := mload(add(output, add(32, bitmapBytes)))
                mstore(verdict, mload(output))
                mstore(0x40, and(add(add(output, outputBytes), 63), not(31)))
            }
        }
        if (!ok) revert BatchRefused();
        (verdict.verified, verdict.commitments) = (uint32(countsWord >> 224), uint32(countsWord >> 192));
        if (uint256(verdict.verified) + verdict.commitments != size) verdict.excluded = invert(output + 32, size);
        verdict.charges = new bytes(chargesBytes);
        bytes memory charges = verdict.charges;
        assembly ("memory-safe") {
            mcopy(add(charges, 32), add(output, sub(outputBytes, chargesBytes)), chargesBytes)
        }
    }

    /// The complement of a bitmap in memory, its bits turned from lowest first to highest first within each byte.
    function invert(uint256 bitmap, uint256 size) private pure returns (bytes memory excluded) {
        uint256 length = (size + 7) / 8;
        excluded = new bytes(length);
        for (uint256 offset = 0; offset < length; offset += 32) {
            uint256 bits;
            assembly ("memory-safe") {
                bits := not(mload(add(bitmap, offset)))
            }
            bits = swap(bits, 1, 0x5555555555555555555555555555555555555555555555555555555555555555);
            bits = swap(bits, 2, 0x3333333333333333333333333333333333333333333333333333333333333333);
            bits = swap(bits, 4, 0x0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f);
            uint256 slots = size - offset * 8;
            if (slots < 256) bits &= ~(type(uint256).max >> slots);
            assembly ("memory-safe") {
                mstore(add(add(excluded, 32), offset), bits)
            }
        }
    }

    /// Exchanges neighbouring groups of bits.
    function swap(uint256 bits, uint256 width, uint256 mask) private pure returns (uint256) {
        return ((bits >> width) & mask) | ((bits & mask) << width);
    }
}
