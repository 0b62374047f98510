//! Cairn's chain database: the state trie at every height, blocks, receipts and their indexes, on one storage engine.
//! Owns how they are stored, that a block is committed wholly or not at all, and that roots are right. Does not know how
//! blocks are made: executing transactions is `cairn-evm`'s.

#![warn(unreachable_pub)]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)
)]

mod accounts;
mod address_index;
mod blocks;
mod bounded_cache;
mod bytes_reader;
mod code_store;
mod commit;
mod error;
mod flat;
mod halves;
mod keys;
mod keyspaces;
mod listing;
mod log_cursor;
mod log_index;
mod log_search;
mod packed_row;
mod reads;
mod receipt_reader;
mod snapshot;
mod store;
mod touches;
mod trie;
mod types;

pub use error::StateError;
pub use listing::ListedAccount;
pub use snapshot::{Snapshot, StagedState};
pub use store::Store;
pub use types::{
    Account, AccountChange, AccountInfo, CommitBlock, HeadRef, LocatedReceipt, LogMatch,
    LogMatches, LogQuery, StateChanges, StoreOptions, StoredHeader, StoredReceipt, StoredTx,
    Touching, TxLocation,
};
