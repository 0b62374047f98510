//! Reading one key of a trie.

use std::sync::Arc;

use alloy_trie::Nibbles;

use super::node::{LeafValue, Node, NodeId, Root};
use super::source::{LastRow, Source};
use crate::error::StateError;

/// Follows a key from the root, handing each node on the way to `visit`, and returns the key's value.
pub(crate) fn follow(
    source: &Source,
    root: Root,
    key: &Nibbles,
    mut visit: impl FnMut(&Arc<Node>),
) -> Result<Option<LeafValue>, StateError> {
    let mut id = root.id;
    let mut depth = 0;
    let mut last = LastRow::default();
    while id != NodeId::NONE {
        let node = source.node(id, &mut last)?;
        visit(&node);
        match node.as_ref() {
            Node::Leaf { path, value } => {
                return Ok((key.slice(depth..) == *path).then(|| value.clone()));
            }
            Node::Extension { path, child } => {
                if !key.slice(depth..).starts_with(path) {
                    return Ok(None);
                }
                depth += path.len();
                id = child.id;
            }
            Node::Branch(branch) => {
                let Some(child) = key.get(depth).and_then(|nibble| branch.child(nibble)) else {
                    return Ok(None);
                };
                depth += 1;
                id = child.id;
            }
        }
        if depth > key.len() {
            return Err(StateError::corrupt("trie deeper than its keys"));
        }
    }
    Ok(None)
}
