//! Updating one trie with two threads: large sets of changes are cut at a nibble of the root branch, each half has its
//! own builder, and only the root is joined. The result does not depend on the cut.

use std::sync::Arc;

use super::node::{Node, NodeId, Root};
use super::shape::{Builder, Slots};
use super::source::Source;
use super::update::{Change, LeafChange};
use crate::error::StateError;

/// Below this many changes a second thread costs more than it saves.
pub(crate) const WORTH_A_THREAD: usize = 256;

/// The two builders of one block.
pub(crate) struct Lanes<'a> {
    first: Builder<'a>,
    second: Builder<'a>,
}

impl<'a> Lanes<'a> {
    pub(crate) fn new(source: &'a Source, epoch: u64) -> Self {
        Self {
            first: Builder::new(source, epoch, 0),
            second: Builder::new(source, epoch, 1),
        }
    }

    /// The new nodes of both lanes.
    pub(crate) fn into_nodes(self) -> [Vec<Arc<Node>>; 2] {
        [self.first.into_nodes(), self.second.into_nodes()]
    }

    /// The root after the changes.
    pub(crate) fn update<C: LeafChange>(
        &mut self,
        root: Root,
        changes: &[Change<C>],
    ) -> Result<Root, StateError> {
        if changes.len() < WORTH_A_THREAD || root.id == NodeId::NONE {
            return self.first.update(root, changes);
        }
        let node = self.first.node(root.id)?;
        let Node::Branch(branch) = node.as_ref() else {
            return self.first.update(root, changes);
        };
        let cut = cut_nibble(changes);
        let (low, high) =
            changes.split_at(changes.partition_point(|change| change.key.first() < Some(cut)));
        let (first, second) = (&mut self.first, &mut self.second);
        let (low, high) = std::thread::scope(|scope| {
            let other = scope.spawn(|| second.apply_branch(branch, 0, high));
            (first.apply_branch(branch, 0, low), other.join())
        });
        let (low, low_changed) = low?;
        let (high, high_changed) = high
            .map_err(|panic| std::panic::resume_unwind(panic))
            .and_then(|high| high)?;
        if !low_changed && !high_changed {
            return Ok(root);
        }
        let built = self.first.join(merge(low, high, cut))?;
        self.first.settle_root(root, built)
    }
}

/// The nibble at which the changes fall into two halves of about equal size.
fn cut_nibble<C>(changes: &[Change<C>]) -> u8 {
    let middle = changes
        .get(changes.len() / 2)
        .and_then(|change| change.key.first());
    middle.unwrap_or(8).max(1)
}

fn merge(low: Slots, high: Slots, cut: u8) -> Slots {
    let mut merged = low;
    for (place, slot) in merged.iter_mut().zip(high).skip(usize::from(cut)) {
        *place = slot;
    }
    merged
}
