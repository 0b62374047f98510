//! Reading the keys of a trie in order.

use std::sync::Arc;

use alloy_trie::Nibbles;

use super::node::{LeafValue, Node, NodeId, Root};
use super::source::{LastRow, Source};
use crate::error::StateError;

/// Which keys are read.
#[derive(Clone, Copy)]
pub(crate) struct Keys<'a> {
    /// From this key on.
    pub(crate) from: &'a Nibbles,
    /// Only what nodes of this epoch or later hold: whatever else changed before.
    pub(crate) since: u64,
}

/// Hands leaves in the order of their keys to `visit`, until it answers `false`.
pub(crate) fn leaves(
    source: &Source,
    root: Root,
    keys: Keys<'_>,
    mut visit: impl FnMut(&Nibbles, &LeafValue) -> Result<bool, StateError>,
) -> Result<(), StateError> {
    let mut last = LastRow::default();
    let mut open = vec![(root.id, Nibbles::default())];
    while let Some((id, path)) = open.pop() {
        if id == NodeId::NONE || id.epoch() < keys.since || ends_before(&path, keys.from) {
            continue;
        }
        let node: Arc<Node> = source.node(id, &mut last)?;
        match node.as_ref() {
            Node::Leaf { path: rest, value } => {
                let key = path.join(rest);
                if key >= *keys.from && !visit(&key, value)? {
                    return Ok(());
                }
            }
            Node::Extension { path: rest, child } => open.push((child.id, path.join(rest))),
            Node::Branch(branch) => {
                for nibble in (0..16).rev() {
                    if let Some(child) = branch.child(nibble) {
                        let mut below = path;
                        below.push(nibble);
                        open.push((child.id, below));
                    }
                }
            }
        }
    }
    Ok(())
}

/// Whether every key below a path stands before `key`.
fn ends_before(path: &Nibbles, key: &Nibbles) -> bool {
    *path < key.slice(..path.len().min(key.len()))
}
