//! One open chain: its store, its head, the block in progress and the caches. Owns the order open → execute → commit;
//! reading, calling and admission stand in their own files.

mod block;
mod prepare;

pub use block::Committed;

use crate::bounded::BoundedMap;
use crate::candidate::Candidate;
use crate::error::ChainError;
use crate::genesis::Genesis;
use crate::header::block_size;
use crate::overlay::{CodeCache, Overlay};
use crate::pending::Pending;
use crate::precompiles::VerdictMemory;
use crate::spec::ChainSpec;
use alloy_consensus::Header;
use alloy_primitives::{Address, B256};
use cairn_state::{CommitBlock, Snapshot, StateChanges, Store, StoreOptions};
use parking_lot::{Mutex, RwLock};
use std::path::Path;
use std::sync::Arc;

/// Threads for signature recovery and root hashing.
const WORKERS: usize = 2;
/// Senders remembered by transaction hash (twice this at most).
const REMEMBERED_SENDERS: usize = 100_000;
/// Analysed contracts remembered (twice this at most).
const REMEMBERED_CODE: usize = 1_000;

/// The last committed block.
#[derive(Debug, Clone)]
pub struct Head {
    /// Its header.
    pub header: Header,
    /// Its hash.
    pub hash: B256,
}

/// How to open a chain.
#[derive(Debug, Clone)]
pub struct OpenOptions<'a> {
    /// Directory of the database.
    pub dir: &'a Path,
    /// JSON text of the genesis.
    pub genesis: &'a str,
    /// Memory for the store's caches, in bytes.
    pub cache_bytes: Option<usize>,
}

/// One open chain. Shared between threads; the block in progress is behind a lock.
pub struct Chain {
    pub(crate) store: Store,
    pub(crate) spec: ChainSpec,
    pub(crate) verdicts: Arc<VerdictMemory>,
    pub(crate) code: Arc<CodeCache>,
    senders: BoundedMap<B256, Address>,
    head: RwLock<Arc<Head>>,
    candidate: Mutex<Option<Candidate>>,
    pub(crate) pending: RwLock<Option<Arc<Pending>>>,
    pub(crate) workers: rayon::ThreadPool,
}

impl Chain {
    /// Opens the directory; an empty one gets block 0 of the genesis, another one must have that block 0.
    pub fn open(options: &OpenOptions<'_>) -> Result<Self, ChainError> {
        let genesis = Genesis::parse(options.genesis)?;
        let changes = genesis.changes()?;
        let mut store_options = StoreOptions::default();
        if let Some(cache_bytes) = options.cache_bytes {
            store_options.cache_bytes = cache_bytes;
        }
        let store = Store::open(options.dir, store_options)?;
        begin(&store, &genesis, &changes)?;
        let head = stored_head(&store)?;
        let workers = rayon::ThreadPoolBuilder::new()
            .num_threads(WORKERS)
            .thread_name(|index| format!("cairn-evm-{index}"))
            .build()
            .map_err(|error| ChainError::Sequence(error.to_string()))?;
        Ok(Self {
            store,
            spec: genesis.spec(),
            verdicts: Arc::default(),
            code: Arc::new(BoundedMap::new(REMEMBERED_CODE)),
            senders: BoundedMap::new(REMEMBERED_SENDERS),
            head: RwLock::new(Arc::new(head)),
            candidate: Mutex::new(None),
            pending: RwLock::new(None),
            workers,
        })
    }

    /// The last committed block.
    pub fn head(&self) -> Arc<Head> {
        self.head.read().clone()
    }

    /// The chain's parameters.
    pub fn spec(&self) -> &ChainSpec {
        &self.spec
    }

    /// A fresh overlay over a state.
    pub(crate) fn overlay(&self, snapshot: Snapshot) -> Overlay {
        Overlay::new(snapshot, self.store.clone(), self.code.clone())
    }

    /// The state after a block that must exist.
    pub(crate) fn state_at(&self, number: u64) -> Result<Snapshot, ChainError> {
        let missing = || ChainError::Sequence(format!("no state of block {number}"));
        self.store.at(number)?.ok_or_else(missing)
    }
}

/// Commits block 0 where there is none yet, or sees that the one there is the genesis'.
fn begin(store: &Store, genesis: &Genesis, changes: &StateChanges) -> Result<(), ChainError> {
    let state = store.stage(&store.empty(), changes)?;
    let header = genesis.header(state.root());
    let hash = header.hash_slow();
    if store.head().is_some() {
        let is_same = store.header(0)?.is_some_and(|stored| stored.hash == hash);
        return is_same.then_some(()).ok_or(ChainError::GenesisMismatch);
    }
    let block_size = block_size(&header, std::iter::empty::<&[u8]>());
    store.commit(&CommitBlock {
        header,
        hash,
        transactions: Vec::new(),
        receipts: Vec::new(),
        touched: Vec::new(),
        state,
        block_size,
    })?;
    Ok(())
}

fn stored_head(store: &Store) -> Result<Head, ChainError> {
    let missing = || ChainError::Sequence("the store has no head".to_owned());
    let reference = store.head().ok_or_else(missing)?;
    let stored = store.header(reference.number)?.ok_or_else(missing)?;
    Ok(Head {
        header: stored.header,
        hash: stored.hash,
    })
}
