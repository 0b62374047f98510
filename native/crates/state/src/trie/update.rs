//! Applying sorted changes to a trie in one pass from the top. A subtree that nothing changes is neither read below its
//! root nor rewritten.

use alloy_trie::Nibbles;

use super::node::{Branch, Child, LeafValue, Node, NodeId, Root};
use super::shape::{Builder, Built, Slot, Slots, place};
use crate::error::StateError;

/// What happens to one key's value.
pub(crate) trait LeafChange: Sync {
    /// The value afterwards, from the value before; `None` deletes the key.
    fn apply(
        &self,
        old: Option<&LeafValue>,
        builder: &mut Builder<'_>,
    ) -> Result<Option<LeafValue>, StateError>;
}

/// A key and its change. Lists of changes are sorted by key, without repeats.
pub(crate) struct Change<C> {
    pub(crate) key: Nibbles,
    pub(crate) change: C,
}

impl Builder<'_> {
    /// The root after the changes.
    pub(crate) fn update<C: LeafChange>(
        &mut self,
        root: Root,
        changes: &[Change<C>],
    ) -> Result<Root, StateError> {
        if changes.is_empty() {
            return Ok(root);
        }
        let built = self.apply(root.id, 0, changes)?;
        self.settle_root(root, built)
    }

    fn apply<C: LeafChange>(
        &mut self,
        id: NodeId,
        depth: usize,
        changes: &[Change<C>],
    ) -> Result<Built, StateError> {
        if id == NodeId::NONE {
            return self.grow(depth, changes);
        }
        let node = self.node(id)?;
        match node.as_ref() {
            Node::Leaf { path, value } => self.apply_leaf(path, value, depth, changes),
            Node::Extension { path, child } => self.apply_extension(path, child, depth, changes),
            Node::Branch(branch) => {
                let (slots, changed) = self.apply_branch(branch, depth, changes)?;
                if changed {
                    self.join(slots)
                } else {
                    Ok(Built::Unchanged)
                }
            }
        }
    }

    /// The places under a branch after the changes, and whether any differs.
    pub(crate) fn apply_branch<C: LeafChange>(
        &mut self,
        branch: &Branch,
        depth: usize,
        changes: &[Change<C>],
    ) -> Result<(Slots, bool), StateError> {
        let mut slots = Slots::default();
        for nibble in 0..16 {
            if let (Some(child), Some(slot)) =
                (branch.child(nibble), slots.get_mut(usize::from(nibble)))
            {
                *slot = Slot::Old(*child);
            }
        }
        let mut changed = false;
        for group in groups(changes, depth) {
            let nibble = nibble_of(group, depth)?;
            let id = branch.child(nibble).map_or(NodeId::NONE, |child| child.id);
            let built = self.apply(id, depth + 1, group)?;
            changed |= place(&mut slots, nibble, built);
        }
        Ok((slots, changed))
    }

    fn apply_extension<C: LeafChange>(
        &mut self,
        path: &Nibbles,
        child: &Child,
        depth: usize,
        changes: &[Change<C>],
    ) -> Result<Built, StateError> {
        let (Some(first), Some(last)) = (changes.first(), changes.last()) else {
            return Ok(Built::Unchanged);
        };
        let shared =
            shared_length(&first.key, depth, path).min(shared_length(&last.key, depth, path));
        if shared == path.len() {
            return match self.apply(child.id, depth + shared, changes)? {
                Built::New(node) => self.prepend(*path, node).map(Built::New),
                other => Ok(other),
            };
        }
        match self.split_extension(path, child, shared, depth, changes)? {
            Built::New(node) => self.prepend(path.slice(..shared), node).map(Built::New),
            other => Ok(other),
        }
    }

    /// Applies changes that leave an extension's path after `shared` nibbles, as if a branch stood there.
    fn split_extension<C: LeafChange>(
        &mut self,
        path: &Nibbles,
        child: &Child,
        shared: usize,
        depth: usize,
        changes: &[Change<C>],
    ) -> Result<Built, StateError> {
        let fork = depth + shared;
        let own = path
            .get(shared)
            .ok_or_else(|| StateError::corrupt("extension without path"))?;
        let rest = path.slice(shared + 1..);
        let mut slots = Slots::default();
        if let Some(slot) = slots.get_mut(usize::from(own)) {
            let (path, child) = (rest, *child);
            *slot = if path.is_empty() {
                Slot::Old(child)
            } else {
                Slot::New(Node::Extension { path, child })
            };
        }
        let mut changed = false;
        for group in groups(changes, fork) {
            let nibble = nibble_of(group, fork)?;
            let built = if nibble != own {
                self.grow(fork + 1, group)?
            } else if rest.is_empty() {
                self.apply(child.id, fork + 1, group)?
            } else {
                self.apply_extension(&rest, child, fork + 1, group)?
            };
            changed |= place(&mut slots, nibble, built);
        }
        if changed {
            self.join(slots)
        } else {
            Ok(Built::Unchanged)
        }
    }

    fn apply_leaf<C: LeafChange>(
        &mut self,
        path: &Nibbles,
        value: &LeafValue,
        depth: usize,
        changes: &[Change<C>],
    ) -> Result<Built, StateError> {
        let Some(first) = changes.first() else {
            return Ok(Built::Unchanged);
        };
        let own = first.key.slice(..depth).join(path);
        let mut entries = Vec::with_capacity(changes.len() + 1);
        let mut kept = Some(value);
        let mut changed = false;
        for Change { key, change } in changes {
            let old = if *key >= own { kept.take() } else { None };
            if *key == own {
                let new = change.apply(old, self)?;
                changed |= new.as_ref() != old;
                entries.extend(new.map(|new| (own, new)));
                continue;
            }
            entries.extend(old.map(|old| (own, old.clone())));
            let new = change.apply(None, self)?;
            changed |= new.is_some();
            entries.extend(new.map(|new| (*key, new)));
        }
        if !changed {
            return Ok(Built::Unchanged);
        }
        entries.extend(kept.map(|old| (own, old.clone())));
        self.build(depth, &mut entries)
    }

    /// A subtree where none was.
    fn grow<C: LeafChange>(
        &mut self,
        depth: usize,
        changes: &[Change<C>],
    ) -> Result<Built, StateError> {
        let mut entries = Vec::with_capacity(changes.len());
        for Change { key, change } in changes {
            entries.extend(change.apply(None, self)?.map(|value| (*key, value)));
        }
        match self.build(depth, &mut entries)? {
            Built::Empty => Ok(Built::Unchanged),
            other => Ok(other),
        }
    }
}

fn groups<C>(changes: &[Change<C>], depth: usize) -> impl Iterator<Item = &[Change<C>]> {
    changes.chunk_by(move |one, other| one.key.get(depth) == other.key.get(depth))
}

fn nibble_of<C>(group: &[Change<C>], depth: usize) -> Result<u8, StateError> {
    let nibble = group.first().and_then(|change| change.key.get(depth));
    nibble.ok_or_else(|| StateError::corrupt("trie deeper than its keys"))
}

fn shared_length(key: &Nibbles, depth: usize, path: &Nibbles) -> usize {
    key.slice(depth..).common_prefix_length(path)
}
