//! Making new nodes: each is numbered and hashed once, from the bottom, in canonical form. A branch has at least two
//! children and an extension leads to a branch, whatever was removed.

use std::sync::Arc;

use alloy_primitives::keccak256;
use alloy_trie::Nibbles;

use super::node::{Branch, Child, LeafValue, Node, NodeId, Root};
use super::source::{LastRow, Source};
use crate::error::StateError;

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

/// All places under a branch.
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

    /// The subtree of sorted entries, whose values are taken.
    pub(crate) fn build(
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

    /// The node with a longer path before it.
    pub(crate) fn prepend(&mut self, prefix: Nibbles, node: Node) -> Result<Node, StateError> {
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

/// Puts a changed subtree in its place and tells whether it changed.
pub(crate) fn place(slots: &mut Slots, nibble: u8, built: Built) -> bool {
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
