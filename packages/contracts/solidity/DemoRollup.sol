// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// A rollup in miniature for the sandbox: anybody publishes roots, each batch has the next number. No predeploy; a
/// command deploys it.
contract DemoRollup {
    /// Number of the last batch; 0 before the first.
    uint256 public batches;

    event RootPublished(uint256 indexed batch, bytes32 root);

    /// Publishes the root of the next batch.
    function publish(bytes32 root) external returns (uint256 batch) {
        batch = ++batches;
        emit RootPublished(batch, root);
    }
}
