//! Names of the keyspaces and the keys of their rows. Numbers are big-endian, so that key order is chain order.

use alloy_primitives::{B256, keccak256};

use crate::packed_row;

/// Version of everything stored; a change of any row's form raises it.
pub(crate) const FORMAT: u32 = 2;

/// Keyspace of the format version and the head.
pub(crate) const META: &str = "meta";
pub(crate) const NODES: &str = "trie_nodes";
pub(crate) const CODE: &str = "code";
pub(crate) const HEADERS: &str = "headers";
pub(crate) const BLOCK_HASHES: &str = "block_hashes";
pub(crate) const TRANSACTIONS: &str = "transactions";
pub(crate) const RECEIPTS: &str = "receipts";
pub(crate) const TX_HASHES: &str = "transaction_hashes";
pub(crate) const LOG_INDEX: &str = "log_index";
pub(crate) const ADDRESS_INDEX: &str = "address_index";
pub(crate) const SLOT_KEYS: &str = "slot_keys";

/// Row of [`META`]: the format version.
pub(crate) const META_FORMAT: &[u8] = b"format";
/// Row of [`META`]: number of the last committed block. Its being written is what makes a block committed.
pub(crate) const META_HEAD: &[u8] = b"head";

/// A row to be written: key and value.
pub(crate) type Row = (Vec<u8>, Vec<u8>);

/// Key of a row per block.
pub(crate) fn block_key(number: u64) -> [u8; 8] {
    number.to_be_bytes()
}

/// Key of the packed row that holds a transaction (or receipt).
pub(crate) fn tx_key(number: u64, index: u32) -> [u8; 12] {
    concat(
        number.to_be_bytes(),
        (index / packed_row::ITEMS as u32).to_be_bytes(),
    )
}

/// Place of a transaction in its packed row.
pub(crate) fn tx_slot(index: u32) -> usize {
    index as usize % packed_row::ITEMS
}

/// What a transaction's hash leads to: its block and index.
pub(crate) fn tx_location(number: u64, index: u32) -> [u8; 12] {
    concat(number.to_be_bytes(), index.to_be_bytes())
}

/// What a log can be searched by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum LogTerm<'a> {
    /// Any log at all.
    Any,
    /// The emitting contract.
    Address(&'a [u8; 20]),
    /// A topic at a position.
    Topic(u8, &'a [u8; 32]),
}

/// The eight bytes that stand for a term in [`LOG_INDEX`]. Different terms may share them, so whatever the index finds
/// is checked against the receipt; being keccak, nobody can make them share on purpose at reasonable cost.
pub(crate) fn fingerprint(term: LogTerm<'_>) -> [u8; 8] {
    let hash = match term {
        LogTerm::Any => keccak256([0xff]),
        LogTerm::Address(address) => keccak256(concat::<1, 20, 21>([0xfe], *address)),
        LogTerm::Topic(position, topic) => keccak256(concat::<1, 32, 33>([position], *topic)),
    };
    hash.0.first_chunk::<8>().copied().unwrap_or_default()
}

/// Key of a term's row for one block.
pub(crate) fn log_key(fingerprint: [u8; 8], number: u64) -> [u8; 16] {
    concat(fingerprint, number.to_be_bytes())
}

/// Key of an account's row for one block in [`ADDRESS_INDEX`]: the first eight bytes of its key in the state trie, and
/// the block.
pub(crate) fn touch_key(account_key: &B256, number: u64) -> [u8; 16] {
    let start = account_key.0.first_chunk::<8>().copied();
    concat(start.unwrap_or_default(), number.to_be_bytes())
}

fn concat<const A: usize, const B: usize, const N: usize>(one: [u8; A], other: [u8; B]) -> [u8; N] {
    let mut key = [0; N];
    for (place, byte) in key.iter_mut().zip(one.into_iter().chain(other)) {
        *place = byte;
    }
    key
}
