//! The block in progress at the height after the head: executed once, sealed when its consensus hash is known, held
//! in memory until it is committed or replaced.

use crate::error::ChainError;
use crate::execution::Executed;
use crate::receipts::{receipts_root, transactions_root};
use alloy_consensus::Header;
use alloy_primitives::{Address, B256, Keccak256};
use cairn_state::{CommitBlock, Snapshot, StagedState, Store, StoredReceipt, StoredTx};

/// What decides the execution of a block: everything but its own consensus hash.
#[derive(Debug, Clone, Copy)]
pub struct Inputs {
    /// Height.
    pub height: u64,
    /// Seconds.
    pub timestamp: u64,
    /// Receives the priority fees.
    pub miner: Address,
}

/// Identity of an execution.
pub(crate) fn execution_key(
    parent: B256,
    inputs: &Inputs,
    hashes: impl Iterator<Item = B256>,
) -> B256 {
    let mut hasher = Keccak256::new();
    hasher.update(parent);
    hasher.update(inputs.height.to_be_bytes());
    hasher.update(inputs.timestamp.to_be_bytes());
    hasher.update(inputs.miner);
    for hash in hashes {
        hasher.update(hash);
    }
    hasher.finalize()
}

/// A sealed block's parts.
#[derive(Debug)]
pub struct Sealed {
    /// The complete header.
    pub header: Header,
    /// keccak-256 of its RLP.
    pub hash: B256,
    /// Length of the block's RLP in bytes.
    pub size: u64,
    staged: StagedState,
    transactions: Vec<StoredTx>,
    receipts: Vec<StoredReceipt>,
}

/// An executed block that is not durable yet.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// See [`execution_key`].
    pub key: B256,
    /// Outcomes and receipts.
    pub executed: Executed,
    header: Header,
    sealed: Option<Sealed>,
}

impl Candidate {
    /// Keeps an execution under the header it ran with.
    pub(crate) fn new(key: B256, header: Header, executed: Executed) -> Self {
        Self {
            key,
            executed,
            header,
            sealed: None,
        }
    }

    /// Completes the header: roots once, then the consensus hash; sealing again with another hash is cheap.
    pub(crate) fn seal(
        &mut self,
        consensus_hash: B256,
        store: &Store,
        parent: &Snapshot,
        workers: &rayon::ThreadPool,
    ) -> Result<(&Executed, &Sealed), ChainError> {
        let mut sealed = match self.sealed.take() {
            Some(sealed) => sealed,
            None => self.first_seal(store, parent, workers)?,
        };
        if sealed.header.extra_data.as_ref() != consensus_hash.as_slice() || sealed.hash.is_zero() {
            sealed.header.extra_data = consensus_hash.into();
            sealed.hash = sealed.header.hash_slow();
            let raws = sealed.transactions.iter().map(|tx| &tx.raw);
            sealed.size = crate::header::block_size(&sealed.header, raws);
        }
        Ok((&self.executed, self.sealed.insert(sealed)))
    }

    fn first_seal(
        &self,
        store: &Store,
        parent: &Snapshot,
        workers: &rayon::ThreadPool,
    ) -> Result<Sealed, ChainError> {
        let executed = &self.executed;
        let lists = || {
            let transactions = executed.stored_transactions();
            let receipts = executed.stored_receipts();
            let root = transactions_root(&transactions);
            let (receipts_root, bloom) = receipts_root(&receipts);
            (transactions, receipts, root, receipts_root, bloom)
        };
        let (staged, lists) = workers.join(|| store.stage(parent, &executed.changes), lists);
        let staged = staged?;
        let (transactions, receipts, transactions_root, receipts_root, logs_bloom) = lists;
        let header = Header {
            state_root: staged.root(),
            transactions_root,
            receipts_root,
            logs_bloom,
            gas_used: executed.gas_used,
            ..self.header.clone()
        };
        Ok(Sealed {
            header,
            hash: B256::ZERO,
            size: 0,
            staged,
            transactions,
            receipts,
        })
    }

    /// The sealed block, if it has been sealed.
    pub(crate) fn sealed(&self) -> Option<&Sealed> {
        self.sealed.as_ref()
    }

    /// Height of the block.
    pub(crate) fn height(&self) -> u64 {
        self.header.number
    }

    /// What the store takes; `None` before sealing.
    pub(crate) fn into_commit(self) -> Option<CommitBlock> {
        let sealed = self.sealed?;
        let touched = self.executed.into_touched();
        Some(CommitBlock {
            touched,
            header: sealed.header,
            hash: sealed.hash,
            transactions: sealed.transactions,
            receipts: sealed.receipts,
            state: sealed.staged,
            block_size: sealed.size,
        })
    }
}
