//! Merkle proofs, as `eth_getProof` answers them (EIP-1186): the RLP of the nodes on a key's path, root first. Nodes
//! embedded in their parent are part of it and not listed; the proof of an absent key ends where its path ends; an empty
//! trie has an empty proof.

use alloy_primitives::Bytes;
use alloy_trie::Nibbles;

use super::node::Root;
use super::source::Source;
use super::walk::follow;
use crate::error::StateError;

/// The proof of a key, present or absent.
pub(crate) fn prove(source: &Source, root: Root, key: &Nibbles) -> Result<Vec<Bytes>, StateError> {
    let mut proof: Vec<Bytes> = Vec::new();
    follow(source, root, key, |node| {
        let rlp = node.to_rlp();
        if proof.is_empty() || rlp.len() >= 32 {
            proof.push(rlp.into());
        }
    })?;
    Ok(proof)
}
