//! Where nodes are read from: first the staged, not yet durable layers of a view, then the bounded cache of decoded
//! nodes, then the database.

use std::collections::BTreeMap;
use std::sync::Arc;

use alloy_primitives::{B256, Bytes};
use fjall::Keyspace;
use quick_cache::{Weighter, sync::Cache};

use super::node::{Node, NodeId};
use super::record;
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
    cache: Cache<NodeId, Arc<Node>, ByMemory>,
}

impl NodeStore {
    pub(crate) fn new(rows: Keyspace, cache_bytes: usize) -> Self {
        let cache = Cache::with_weighter(cache_bytes / 512, cache_bytes as u64, ByMemory);
        Self { rows, cache }
    }

    /// Keeps nodes that have just become durable.
    pub(crate) fn remember(&self, layer: &Layer) {
        for (lane, nodes) in layer.lanes.iter().enumerate() {
            for (sequence, node) in nodes.iter().enumerate() {
                self.cache
                    .insert(NodeId::new(layer.epoch, lane, sequence), Arc::clone(node));
            }
        }
    }

    fn load(&self, id: NodeId) -> Result<Arc<Node>, StateError> {
        if let Some(node) = self.cache.get(&id) {
            return Ok(node);
        }
        let row = self
            .rows
            .get(record::row_key(id))?
            .ok_or_else(|| StateError::corrupt("trie node missing"))?;
        let node = Arc::new(record::decode_from_row(id, &row)?);
        self.cache.insert(id, Arc::clone(&node));
        Ok(node)
    }
}

/// Nodes and code staged for one block, over the layers they were staged on.
pub(crate) struct Layer {
    /// Block number + 1, as in [`NodeId::epoch`].
    pub(crate) epoch: u64,
    pub(crate) lanes: [Vec<Arc<Node>>; 2],
    pub(crate) code: BTreeMap<B256, Bytes>,
    pub(crate) below: Option<Arc<Self>>,
}

/// A consistent set of nodes: durable ones and the staged layers of one view.
#[derive(Clone)]
pub(crate) struct Source {
    store: Arc<NodeStore>,
    layer: Option<Arc<Layer>>,
}

impl Source {
    pub(crate) fn new(store: Arc<NodeStore>, layer: Option<Arc<Layer>>) -> Self {
        Self { store, layer }
    }

    pub(crate) fn with_layer(&self, layer: Arc<Layer>) -> Self {
        Self {
            store: Arc::clone(&self.store),
            layer: Some(layer),
        }
    }

    pub(crate) fn layer(&self) -> Option<&Arc<Layer>> {
        self.layer.as_ref()
    }

    /// The node with a number. Two stagings of one height reuse numbers, so a view's own layers always win.
    pub(crate) fn node(&self, id: NodeId) -> Result<Arc<Node>, StateError> {
        let mut layer = self.layer.as_deref();
        while let Some(current) = layer {
            if current.epoch == id.epoch() {
                let node = current
                    .lanes
                    .get(id.lane())
                    .and_then(|nodes| nodes.get(id.sequence()));
                return node
                    .cloned()
                    .ok_or_else(|| StateError::corrupt("staged trie node missing"));
            }
            layer = current.below.as_deref();
        }
        self.store.load(id)
    }

    /// Code among the staged layers.
    pub(crate) fn staged_code(&self, hash: &B256) -> Option<Bytes> {
        let mut layer = self.layer.as_deref();
        while let Some(current) = layer {
            if let Some(code) = current.code.get(hash) {
                return Some(code.clone());
            }
            layer = current.below.as_deref();
        }
        None
    }
}
