//! The values that cross the face of the chain database: accounts, state changes, blocks, receipts and log queries.
//! Holds no behaviour beyond construction.

use std::collections::BTreeMap;

use alloy_consensus::Header;
use alloy_primitives::{Address, B256, Bytes, Log, U256};

use crate::snapshot::StagedState;

/// Options of [`crate::Store::open`].
#[derive(Clone, Copy, Debug)]
pub struct StoreOptions {
    /// Memory for decoded trie nodes, code and database blocks together, in bytes.
    pub cache_bytes: usize,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            cache_bytes: 256 << 20,
        }
    }
}

/// Number and hash of the last committed block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadRef {
    /// Block number (height).
    pub number: u64,
    /// Ethereum block hash.
    pub hash: B256,
}

/// An account as the state trie holds it (Yellow Paper, section 4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    /// Transactions sent (or contracts created).
    pub nonce: u64,
    /// Balance in wei.
    pub balance: U256,
    /// Keccak hash of the code; that of the empty string without code.
    pub code_hash: B256,
    /// Root of the account's storage trie.
    pub storage_root: B256,
}

/// The part of an account that a block sets; its storage root follows from the storage changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountInfo {
    /// Transactions sent (or contracts created).
    pub nonce: u64,
    /// Balance in wei.
    pub balance: U256,
    /// Keccak hash of the code; that of the empty string without code.
    pub code_hash: B256,
}

/// What a block does to one account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountChange {
    /// The account afterwards; `None` deletes it together with its storage. Removing empty accounts (EIP-161) is the
    /// caller's decision.
    pub account: Option<AccountInfo>,
    /// Forget every slot before applying `storage` (the account was destroyed and created again).
    pub wipe_storage: bool,
    /// Slots that change, by unhashed position; zero deletes the slot.
    pub storage: BTreeMap<U256, U256>,
}

/// Everything a block does to the state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateChanges {
    /// Accounts that change.
    pub accounts: BTreeMap<Address, AccountChange>,
    /// New code by its keccak hash.
    pub code: BTreeMap<B256, Bytes>,
}

/// A committed header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredHeader {
    /// The decoded header.
    pub header: Header,
    /// Keccak hash of `rlp`.
    pub hash: B256,
    /// The header's RLP.
    pub rlp: Bytes,
    /// Length of the block's RLP in bytes.
    pub size: u64,
}

/// A committed transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTx {
    /// The signed EIP-2718 envelope.
    pub raw: Bytes,
    /// Keccak hash of `raw`.
    pub hash: B256,
    /// The recovered signer.
    pub sender: Address,
}

/// A committed receipt, with what the consensus encoding leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReceipt {
    /// EIP-2718 type, 0 for legacy.
    pub tx_type: u8,
    /// Whether execution succeeded.
    pub success: bool,
    /// Gas used in the block up to and including this transaction.
    pub cumulative_gas_used: u64,
    /// Gas used by this transaction.
    pub gas_used: u64,
    /// Wei per gas actually paid.
    pub effective_gas_price: u128,
    /// Address of the contract a creation made.
    pub contract_address: Option<Address>,
    /// Logs in order.
    pub logs: Vec<Log>,
}

/// A receipt read alone, with its place among the block's logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedReceipt {
    /// The receipt.
    pub receipt: StoredReceipt,
    /// Hash of its transaction.
    pub tx_hash: B256,
    /// Index in the block of the receipt's first log.
    pub first_log_index: u32,
}

/// Where a transaction stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TxLocation {
    /// Block number.
    pub block: u64,
    /// Index in the block.
    pub index: u32,
}

/// A block ready to be made durable.
#[derive(Debug)]
pub struct CommitBlock {
    /// The header; its parent must be the head.
    pub header: Header,
    /// Keccak hash of the header's RLP.
    pub hash: B256,
    /// Transactions in order.
    pub transactions: Vec<StoredTx>,
    /// One receipt per transaction.
    pub receipts: Vec<StoredReceipt>,
    /// Per transaction the accounts it is to be found by; repeats count once.
    pub touched: Vec<Vec<Address>>,
    /// The state after the block, staged on the head's state.
    pub state: StagedState,
    /// Length of the block's RLP in bytes.
    pub block_size: u64,
}

/// Transactions that touched an account, whole blocks at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touching {
    /// Where they stand, in the order asked for.
    pub locations: Vec<TxLocation>,
    /// Whether there are more beyond.
    pub more: bool,
}

/// A log filter (`eth_getLogs`): all conditions must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogQuery {
    /// First block.
    pub from: u64,
    /// Last block (inclusive).
    pub to: u64,
    /// Emitting contracts, any of; empty accepts all.
    pub addresses: Vec<Address>,
    /// Per topic position the accepted values, any of; an empty list accepts all. A log with fewer topics than this
    /// list has positions never matches.
    pub topics: Vec<Vec<B256>>,
    /// Most matches to return.
    pub max: usize,
}

/// Logs that match, in chain order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogMatches {
    /// At most [`LogQuery::max`] matches.
    pub matches: Vec<LogMatch>,
    /// Whether more than [`LogQuery::max`] logs match.
    pub truncated: bool,
}

/// One matching log and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogMatch {
    /// Block number.
    pub block: u64,
    /// Index of the transaction in the block.
    pub tx_index: u32,
    /// Index of the log in the block.
    pub log_index: u32,
    /// The log.
    pub log: Log,
    /// Hash of the transaction.
    pub tx_hash: B256,
}
