//! Where nodes are read from: first the layers of a view (blocks staged or lately committed, by direct index), then the
//! bounded cache of decoded nodes, then the database.

use std::collections::BTreeMap;
use std::sync::Arc;

use alloy_primitives::{B256, Bytes};
use fjall::{Keyspace, Slice};
use quick_cache::Weighter;

use super::node::{Node, NodeId};
use super::record;
use crate::bounded_cache::{BoundedCache, bounded_cache};
use crate::error::StateError;

#[derive(Clone)]
struct ByMemory;

impl Weighter<NodeId, Arc<Node>> for ByMemory {
    fn weight(&self, _: &NodeId, node: &Arc<Node>) -> u64 {
        node.memory() as u64
    }
}

/// Durable nodes behind a cache bounded in bytes.
pub(crate) struct NodeStore {
    rows: Keyspace,
    cache: BoundedCache<NodeId, Arc<Node>, ByMemory>,
}

/// The row read last. Nodes near each other in the trie often share a row, so a walk reads few rows.
#[derive(Default)]
pub(crate) struct LastRow(Option<([u8; 8], Slice)>);

impl NodeStore {
    pub(crate) fn new(rows: Keyspace, cache_bytes: usize) -> Result<Self, StateError> {
        let cache = bounded_cache(cache_bytes / 512, cache_bytes, ByMemory)?;
        Ok(Self { rows, cache })
    }

    fn load(&self, id: NodeId, last: &mut LastRow) -> Result<Arc<Node>, StateError> {
        if let Some(node) = self.cache.get(&id) {
            return Ok(node);
        }
        let key = record::row_key(id);
        let row = match last.0.take() {
            Some((last_key, row)) if last_key == key => row,
            _ => self
                .rows
                .get(key)?
                .ok_or_else(|| StateError::corrupt("trie node missing"))?,
        };
        let node = Arc::new(record::decode_from_row(id, &row)?);
        last.0 = Some((key, row));
        self.cache.insert(id, Arc::clone(&node));
        Ok(node)
    }
}

/// Nodes and code that one block made.
pub(crate) struct Layer {
    /// Block number + 1, as in [`NodeId::epoch`].
    pub(crate) epoch: u64,
    pub(crate) lanes: [Vec<Arc<Node>>; 2],
    pub(crate) code: BTreeMap<B256, Bytes>,
    /// Approximate memory of the nodes, in bytes.
    pub(crate) memory: usize,
}

impl Layer {
    pub(crate) fn new(epoch: u64, lanes: [Vec<Arc<Node>>; 2], code: BTreeMap<B256, Bytes>) -> Self {
        let memory = lanes.iter().flatten().map(|node| node.memory()).sum();
        Self {
            epoch,
            lanes,
            code,
            memory,
        }
    }
}

/// Layers of consecutive blocks, oldest first.
#[derive(Clone, Default)]
pub(crate) struct Layers(Arc<[Arc<Layer>]>);

impl Layers {
    const MOST: usize = 128;

    /// These layers and the next one; the oldest are let go beyond `most_bytes`, unless above `pinned` (an epoch).
    pub(crate) fn with(&self, layer: Arc<Layer>, most_bytes: usize, pinned: u64) -> Self {
        let mut memory = layer.memory;
        let epoch = layer.epoch;
        let mut kept = vec![layer];
        // A view of an older block may know layers of later ones: they are not below this one.
        for older in self.0.iter().rev().skip_while(|older| older.epoch >= epoch) {
            memory = memory.saturating_add(older.memory);
            if older.epoch <= pinned && (memory > most_bytes || kept.len() >= Self::MOST) {
                break;
            }
            kept.push(Arc::clone(older));
        }
        kept.reverse();
        Self(kept.into())
    }

    fn get(&self, epoch: u64) -> Option<&Layer> {
        let oldest = self.0.first()?.epoch;
        self.0
            .get(usize::try_from(epoch.checked_sub(oldest)?).ok()?)
            .map(Arc::as_ref)
    }
}

/// A consistent set of nodes: durable ones and the layers of one view.
#[derive(Clone)]
pub(crate) struct Source {
    store: Arc<NodeStore>,
    layers: Layers,
    /// Layers above this epoch are not durable (in this view's history).
    durable: u64,
}

impl Source {
    pub(crate) fn new(store: Arc<NodeStore>, layers: Layers, durable: u64) -> Self {
        Self {
            store,
            layers,
            durable,
        }
    }

    /// This source and a block staged on it.
    pub(crate) fn with_layer(&self, layer: Arc<Layer>) -> Self {
        let layers = self.layers.with(layer, usize::MAX, self.durable);
        Self {
            store: Arc::clone(&self.store),
            layers,
            durable: self.durable,
        }
    }

    /// The node with a number. Two stagings of one height reuse numbers, so a view's own layers always win.
    pub(crate) fn node(&self, id: NodeId, last: &mut LastRow) -> Result<Arc<Node>, StateError> {
        match self.layers.get(id.epoch()) {
            None => self.store.load(id, last),
            Some(layer) => {
                let node = layer
                    .lanes
                    .get(id.lane())
                    .and_then(|nodes| nodes.get(id.sequence()));
                node.cloned()
                    .ok_or_else(|| StateError::corrupt("staged trie node missing"))
            }
        }
    }

    /// Code among the staged layers.
    pub(crate) fn staged_code(&self, hash: &B256) -> Option<Bytes> {
        let staged = self
            .layers
            .0
            .iter()
            .rev()
            .take_while(|layer| layer.epoch > self.durable);
        staged
            .filter_map(|layer| layer.code.get(hash))
            .next()
            .cloned()
    }
}
