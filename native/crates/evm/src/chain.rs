//! One open chain: its store, its head, the block in progress and the caches. Owns the order open → execute → commit;
//! reading, calling and admission stand in their own files.

use crate::bounded::BoundedMap;
use crate::candidate::{Candidate, Inputs, Sealed, execution_key};
use crate::deadline::Deadline;
use crate::error::ChainError;
use crate::execution::{Executed, Ready, execute};
use crate::genesis::Genesis;
use crate::header::{block_size, child_header};
use crate::overlay::{CodeCache, Overlay};
use crate::pending::Pending;
use crate::precompiles::VerdictMemory;
use crate::spec::ChainSpec;
use crate::transaction::{Decoded, Refusal, check, decode, recover};
use alloy_consensus::Header;
use alloy_primitives::{Address, B256, Bytes};
use cairn_state::{CommitBlock, Snapshot, Store, StoreOptions, StoredReceipt, StoredTx};
use parking_lot::{Mutex, RwLock};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use std::path::Path;
use std::sync::Arc;

/// Threads for signature recovery and root hashing.
const WORKERS: usize = 2;
/// Groups below this size are handled on the calling thread.
const PARALLEL_FROM: usize = 16;
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

/// What `commit` made durable.
#[derive(Debug)]
pub struct Committed {
    /// The new head.
    pub head: Arc<Head>,
    /// Its transactions.
    pub transactions: Vec<StoredTx>,
    /// Their receipts.
    pub receipts: Vec<StoredReceipt>,
    /// Every account the block changed, ascending.
    pub changed: Vec<Address>,
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
        let staged = store.stage(&store.empty(), &changes)?;
        let header = genesis.header(staged.root());
        let hash = header.hash_slow();
        if store.head().is_none() {
            let block_size = block_size(&header, std::iter::empty::<&[u8]>());
            let (transactions, receipts) = (Vec::new(), Vec::new());
            store.commit(CommitBlock {
                header,
                hash,
                transactions,
                receipts,
                touched: Vec::new(),
                state: staged,
                block_size,
            })?;
        } else if store.header(0)?.is_none_or(|stored| stored.hash != hash) {
            return Err(ChainError::GenesisMismatch);
        }
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

    /// Decodes, checks and recovers many transactions, on the workers when they are many.
    pub(crate) fn prepare(
        &self,
        raws: Vec<Bytes>,
        block_gas_limit: u64,
    ) -> Vec<Result<Ready, Refusal>> {
        let one = |raw: Bytes| self.prepare_one(raw, block_gas_limit);
        if raws.len() < PARALLEL_FROM {
            return raws.into_iter().map(one).collect();
        }
        self.workers
            .install(|| raws.into_par_iter().map(one).collect())
    }

    /// Decodes, checks and recovers one transaction.
    pub(crate) fn prepare_one(&self, raw: Bytes, block_gas_limit: u64) -> Result<Ready, Refusal> {
        let tx = decode(raw)?;
        check(&tx.envelope, &self.spec, block_gas_limit)?;
        let sender = self.sender(&tx)?;
        Ok(Ready { tx, sender })
    }

    /// The sender of a transaction: recovered once, then remembered by transaction hash.
    fn sender(&self, tx: &Decoded) -> Result<Address, Refusal> {
        if let Some(sender) = self.senders.get(&tx.hash) {
            return Ok(sender);
        }
        let sender = recover(&tx.envelope).ok_or_else(Refusal::signature)?;
        self.senders.insert(tx.hash, sender);
        Ok(sender)
    }

    /// Dry run on the head state: indices of the transactions that execute, in the given order. The execution of
    /// exactly those is kept for [`Chain::execute`].
    pub fn propose(&self, inputs: &Inputs, raws: Vec<Bytes>) -> Result<Vec<usize>, ChainError> {
        let mut slot = self.candidate.lock();
        let head = self.head();
        let (header, mut executed) = self.run(&head, inputs, raws)?;
        let chosen =
            |(index, outcome): (usize, &Result<usize, _>)| outcome.is_ok().then_some(index);
        let indices: Vec<usize> = executed
            .outcomes
            .iter()
            .enumerate()
            .filter_map(chosen)
            .collect();
        executed.outcomes.retain(Result::is_ok);
        let hashes = executed.included.iter().map(|item| item.ready.tx.hash);
        let key = execution_key(head.hash, inputs, hashes);
        *slot = Some(Candidate::new(key, header, executed));
        Ok(indices)
    }

    /// Executes a block on the head state and seals it with its consensus hash; `read` sees the result. A block that
    /// was just proposed or executed is not executed again.
    pub fn execute<T>(
        &self,
        inputs: &Inputs,
        consensus_hash: B256,
        raws: Vec<Bytes>,
        read: impl FnOnce(&Executed, &Sealed) -> T,
    ) -> Result<T, ChainError> {
        let mut slot = self.candidate.lock();
        let head = self.head();
        let key = execution_key(
            head.hash,
            inputs,
            raws.iter().map(alloy_primitives::keccak256),
        );
        let mut candidate = match slot.take() {
            Some(candidate) if candidate.key == key => candidate,
            _ => {
                let (header, executed) = self.run(&head, inputs, raws)?;
                Candidate::new(key, header, executed)
            }
        };
        let parent = self.state_at(head.header.number)?;
        candidate.seal(consensus_hash, &self.store, &parent, &self.workers)?;
        let candidate = slot.insert(candidate);
        match candidate.sealed() {
            Some(sealed) => Ok(read(&candidate.executed, sealed)),
            None => Err(ChainError::Sequence("the block was not sealed".to_owned())),
        }
    }

    fn run(
        &self,
        head: &Head,
        inputs: &Inputs,
        raws: Vec<Bytes>,
    ) -> Result<(Header, Executed), ChainError> {
        let expected = head.header.number + 1;
        if inputs.height != expected {
            return Err(ChainError::Sequence(format!(
                "height {} asked, {expected} is next",
                inputs.height
            )));
        }
        if inputs.timestamp < head.header.timestamp {
            return Err(ChainError::Sequence(
                "the timestamp is below the parent's".to_owned(),
            ));
        }
        let header = child_header(
            &head.header,
            head.hash,
            &self.spec,
            inputs.timestamp,
            inputs.miner,
        );
        let txs = self.prepare(raws, header.gas_limit);
        let state = self.overlay(self.state_at(head.header.number)?);
        let executed = execute(
            state,
            self.spec.chain_id,
            &header,
            self.verdicts.clone(),
            txs,
            Deadline::NEVER,
        )?;
        Ok((header, executed))
    }

    /// Makes the block last executed durable in one atomic write.
    pub fn commit(&self) -> Result<Committed, ChainError> {
        let mut slot = self.candidate.lock();
        let nothing = || ChainError::Sequence("no executed block to commit".to_owned());
        let expected = self.head().header.number + 1;
        if slot
            .as_ref()
            .is_none_or(|candidate| candidate.height() != expected || candidate.sealed().is_none())
        {
            return Err(nothing());
        }
        let candidate = slot.take().ok_or_else(nothing)?;
        let changed = candidate.executed.changes.accounts.keys().copied();
        let changed: Vec<Address> = changed.collect();
        let block = candidate.into_commit().ok_or_else(nothing)?;
        let head = Arc::new(Head {
            header: block.header.clone(),
            hash: block.hash,
        });
        let (transactions, receipts) = (block.transactions.clone(), block.receipts.clone());
        self.store.commit(block)?;
        *self.head.write() = head.clone();
        Ok(Committed {
            head,
            transactions,
            receipts,
            changed,
        })
    }
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
