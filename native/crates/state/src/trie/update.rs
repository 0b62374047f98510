//! Applying sorted changes to a trie in one pass from the top, and numbering and hashing each new node once, from the
//! bottom. A subtree that nothing changes is neither read below its root nor rewritten. Canonical form is kept: a branch
//! has at least two children, an extension leads to a branch.

use std::sync::Arc;

use alloy_primitives::keccak256;
use alloy_trie::Nibbles;

use super::node::{Branch, Child, LeafValue, Node, NodeId, Root};
use super::source::{LastRow, Source};
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

/// A subtree after its changes. A new node is not hashed yet, because its parent may still merge it into itself.
pub(crate) enum Built {
    Unchanged,
    Empty,
    New(Node),
}

/// One place under a branch while it changes.
#[derive(Default)]
pub(crate) enum Slot {
    #[default]
    Empty,
    Old(Child),
    New(Node),
}

pub(crate) type Slots = [Slot; 16];

/// Makes the new nodes of one lane of one block.
pub(crate) struct Builder<'a> {
    source: &'a Source,
    epoch: u64,
    lane: usize,
    nodes: Vec<Arc<Node>>,
    scratch: Vec<u8>,
    last: LastRow,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(source: &'a Source, epoch: u64, lane: usize) -> Self {
        Self {
            source,
            epoch,
            lane,
            nodes: Vec::new(),
            scratch: Vec::with_capacity(1024),
            last: LastRow::default(),
        }
    }

    /// A node of the trie under change.
    pub(crate) fn node(&mut self, id: NodeId) -> Result<Arc<Node>, StateError> {
        self.source.node(id, &mut self.last)
    }

    /// The nodes made, in the order of their numbers.
    pub(crate) fn into_nodes(self) -> Vec<Arc<Node>> {
        self.nodes
    }

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

    /// Numbers and hashes a new root node.
    pub(crate) fn settle_root(&mut self, old: Root, built: Built) -> Result<Root, StateError> {
        match built {
            Built::Unchanged => Ok(old),
            Built::Empty => Ok(Root::EMPTY),
            Built::New(node) => {
                self.scratch.clear();
                node.encode(&mut self.scratch);
                let hash = keccak256(&self.scratch);
                Ok(Root {
                    hash,
                    id: self.number(node)?,
                })
            }
        }
    }

    fn number(&mut self, node: Node) -> Result<NodeId, StateError> {
        if self.nodes.len() >= NodeId::MAX_SEQUENCE {
            return Err(StateError::TooLarge("trie nodes of one block"));
        }
        let id = NodeId::new(self.epoch, self.lane, self.nodes.len());
        self.nodes.push(Arc::new(node));
        Ok(id)
    }

    fn settle(&mut self, node: Node) -> Result<Child, StateError> {
        self.scratch.clear();
        node.encode(&mut self.scratch);
        let mut child = Child::of(&self.scratch, NodeId::NONE);
        child.id = self.number(node)?;
        Ok(child)
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
        let node = self.source.node(id, &mut self.last)?;
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
            let below = if rest.is_empty() {
                Slot::Old(*child)
            } else {
                Slot::New(Node::Extension {
                    path: rest,
                    child: *child,
                })
            };
            *slot = below;
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

    /// The subtree of sorted entries, whose values are taken.
    fn build(
        &mut self,
        depth: usize,
        entries: &mut [(Nibbles, LeafValue)],
    ) -> Result<Built, StateError> {
        let (first, last) = match entries {
            [] => return Ok(Built::Empty),
            [(key, value)] => {
                return Ok(Built::New(Node::Leaf {
                    path: key.slice(depth..),
                    value: std::mem::take(value),
                }));
            }
            [(first, _), .., (last, _)] => (*first, *last),
        };
        let fork = first.common_prefix_length(&last);
        let mut slots = Slots::default();
        for group in entries.chunk_by_mut(|(one, _), (other, _)| one.get(fork) == other.get(fork)) {
            let nibble = group.first().and_then(|(key, _)| key.get(fork));
            let nibble = nibble.ok_or_else(|| StateError::corrupt("trie keys repeat"))?;
            let built = self.build(fork + 1, group)?;
            place(&mut slots, nibble, built);
        }
        match self.join(slots)? {
            Built::New(node) => self.prepend(first.slice(depth..fork), node).map(Built::New),
            other => Ok(other),
        }
    }

    /// The node of changed places: none, the single one lifted up, or a branch.
    pub(crate) fn join(&mut self, slots: Slots) -> Result<Built, StateError> {
        let mut taken = slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| !matches!(slot, Slot::Empty));
        let Some((only, _)) = taken.next() else {
            return Ok(Built::Empty);
        };
        if taken.next().is_none() {
            let slot = slots.into_iter().nth(only).unwrap_or_default();
            return self.lift(only as u8, slot);
        }
        let mut mask = 0u16;
        let mut children = Vec::with_capacity(16);
        for (nibble, slot) in slots.into_iter().enumerate() {
            let child = match slot {
                Slot::Empty => continue,
                Slot::Old(child) => child,
                Slot::New(node) => self.settle(node)?,
            };
            mask |= 1 << nibble;
            children.push(child);
        }
        Ok(Built::New(Node::Branch(Branch {
            mask,
            children: children.into(),
        })))
    }

    /// A branch's only child, with the branch's nibble put before its path.
    fn lift(&mut self, nibble: u8, slot: Slot) -> Result<Built, StateError> {
        let prefix = Nibbles::from_nibbles([nibble]);
        match slot {
            Slot::Empty => Ok(Built::Empty),
            Slot::New(node) => self.prepend(prefix, node).map(Built::New),
            Slot::Old(child) => Ok(Built::New(
                match self.source.node(child.id, &mut self.last)?.as_ref() {
                    Node::Leaf { path, value } => Node::Leaf {
                        path: prefix.join(path),
                        value: value.clone(),
                    },
                    Node::Extension { path, child } => Node::Extension {
                        path: prefix.join(path),
                        child: *child,
                    },
                    Node::Branch(_) => Node::Extension {
                        path: prefix,
                        child,
                    },
                },
            )),
        }
    }

    fn prepend(&mut self, prefix: Nibbles, node: Node) -> Result<Node, StateError> {
        if prefix.is_empty() {
            return Ok(node);
        }
        Ok(match node {
            Node::Leaf { path, value } => Node::Leaf {
                path: prefix.join(&path),
                value,
            },
            Node::Extension { path, child } => Node::Extension {
                path: prefix.join(&path),
                child,
            },
            branch @ Node::Branch(_) => Node::Extension {
                path: prefix,
                child: self.settle(branch)?,
            },
        })
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

fn place(slots: &mut Slots, nibble: u8, built: Built) -> bool {
    let slot = match built {
        Built::Unchanged => return false,
        Built::Empty => Slot::Empty,
        Built::New(node) => Slot::New(node),
    };
    if let Some(place) = slots.get_mut(usize::from(nibble)) {
        *place = slot;
    }
    true
}
