//! Looking into the state and the index of accounts: dumps, ranges of storage, preimages, what changed, and transactions
//! by the accounts they touched. Requests come as JSON text, answers go as JSON text.

mod dump;
mod storage_range;
mod touching;

use crate::chain::Chain;
use crate::error::ChainError;
use crate::json::JsonWriter;
use crate::read::BlockRef;
use crate::trace::{NamedBlock, TraceFailure};
use alloy_primitives::{Address, B256};
use cairn_state::{Snapshot, StateError};
use serde::Deserialize;

/// Most entries of one answer.
const MOST_ENTRIES: usize = 100_000;

/// One request.
#[derive(Debug, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum ExploreRequest {
    /// Accounts of a state, in the order of their keys (geth's dump).
    Dump {
        /// After this block.
        block: NamedBlock,
        /// From this key on.
        start: B256,
        /// At most so many accounts.
        most: usize,
        /// With code.
        code: bool,
        /// With storage.
        storage: bool,
    },
    /// An account's storage before a transaction of a block.
    StorageRange {
        /// The block.
        block: NamedBlock,
        /// Before this transaction.
        tx_index: usize,
        /// The account.
        address: Address,
        /// From this key on.
        start: B256,
        /// At most so many slots.
        most: usize,
    },
    /// What a key of the tries stands for: an address, or a slot.
    Preimage {
        /// The key.
        hash: B256,
    },
    /// Accounts that differ between two blocks.
    Modified {
        /// The older block.
        from: NamedBlock,
        /// The newer one.
        to: NamedBlock,
    },
    /// Transactions that touched an account.
    Touching {
        /// The account.
        address: Address,
        /// First block.
        from: NamedBlock,
        /// Last block.
        to: NamedBlock,
        /// Newest first.
        backwards: bool,
        /// Whole blocks until there are so many.
        least: usize,
    },
}

/// Why there is no answer.
#[derive(Debug)]
pub enum ExploreFailure {
    /// A fault of the node.
    Chain(ChainError),
    /// No such block.
    UnknownBlock,
    /// Nothing is known of this.
    Unknown,
    /// The block has no such transaction.
    UnknownTransaction,
    /// More than one answer carries.
    TooLarge,
}

impl From<ChainError> for ExploreFailure {
    fn from(error: ChainError) -> Self {
        Self::Chain(error)
    }
}

impl From<StateError> for ExploreFailure {
    fn from(error: StateError) -> Self {
        Self::Chain(error.into())
    }
}

impl From<TraceFailure> for ExploreFailure {
    fn from(failure: TraceFailure) -> Self {
        match failure {
            TraceFailure::Chain(error) => Self::Chain(error),
            TraceFailure::Genesis => Self::UnknownTransaction,
            _ => Self::UnknownBlock,
        }
    }
}

impl ExploreFailure {
    /// The stable code; `Err` for a fault of the node.
    pub fn code(self) -> Result<&'static str, ChainError> {
        Ok(match self {
            Self::Chain(error) => return Err(error),
            Self::UnknownBlock => "unknown-block",
            Self::Unknown => "unknown",
            Self::UnknownTransaction => "unknown-transaction",
            Self::TooLarge => "too-large",
        })
    }
}

impl ExploreRequest {
    /// Reads JSON text.
    pub fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }
}

impl Chain {
    /// Answers a request: JSON text.
    pub fn explore(&self, request: ExploreRequest) -> Result<String, ExploreFailure> {
        match request {
            ExploreRequest::Dump {
                block,
                start,
                most,
                code,
                storage,
            } => self.dump(block.0, &start, most, (code, storage)),
            ExploreRequest::StorageRange {
                block,
                tx_index,
                address,
                start,
                most,
            } => self.storage_range(block, tx_index, address, start, most),
            ExploreRequest::Preimage { hash } => self.preimage(&hash),
            ExploreRequest::Modified { from, to } => self.modified(from.0, to.0),
            ExploreRequest::Touching {
                address,
                from,
                to,
                backwards,
                least,
            } => self.touching(&address, (from.0, to.0), backwards, least),
        }
    }

    fn explored(&self, block: BlockRef) -> Result<Snapshot, ExploreFailure> {
        self.state_of(block)?.ok_or(ExploreFailure::UnknownBlock)
    }

    fn preimage(&self, hash: &B256) -> Result<String, ExploreFailure> {
        let mut json = JsonWriter::default();
        if let Some(address) = self.store.address_of(hash)? {
            json.bytes(address.as_slice());
        } else if let Some(slot) = self.store.slot_of(hash)? {
            json.bytes(&slot.to_be_bytes::<32>());
        } else {
            return Err(ExploreFailure::Unknown);
        }
        Ok(json.finish())
    }

    fn modified(&self, from: BlockRef, to: BlockRef) -> Result<String, ExploreFailure> {
        let (before, after) = (self.explored(from)?, self.explored(to)?);
        let mut keys = Vec::new();
        after.list_changed(&before, |key| {
            keys.push(key);
            Ok(keys.len() <= MOST_ENTRIES)
        })?;
        if keys.len() > MOST_ENTRIES {
            return Err(ExploreFailure::TooLarge);
        }
        let mut json = JsonWriter::default();
        json.open_array();
        for key in &keys {
            let address = self.store.address_of(key)?;
            json.bytes(address.ok_or(ExploreFailure::Unknown)?.as_slice());
        }
        json.close_array();
        Ok(json.finish())
    }
}
