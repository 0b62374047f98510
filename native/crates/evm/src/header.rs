//! Header fields and their rules: what is known before execution, and the EVM's block environment of a header.

use crate::spec::ChainSpec;
use alloy_consensus::Header;
use alloy_consensus::constants::{EMPTY_OMMER_ROOT_HASH, EMPTY_ROOT_HASH};
use alloy_eips::eip7685::EMPTY_REQUESTS_HASH;
use alloy_primitives::{Address, B64, B256, Bloom, Bytes, U256, keccak256};
use alloy_rlp::Encodable;
use revm::context::BlockEnv;
use revm::primitives::eip4844::BLOB_BASE_FEE_UPDATE_FRACTION_PRAGUE;

/// A header of an empty block: every field that is constant on this chain is set.
pub(crate) fn blank_header() -> Header {
    Header {
        parent_hash: B256::ZERO,
        ommers_hash: EMPTY_OMMER_ROOT_HASH,
        beneficiary: Address::ZERO,
        state_root: EMPTY_ROOT_HASH,
        transactions_root: EMPTY_ROOT_HASH,
        receipts_root: EMPTY_ROOT_HASH,
        logs_bloom: Bloom::ZERO,
        difficulty: U256::ZERO,
        number: 0,
        gas_limit: 0,
        gas_used: 0,
        timestamp: 0,
        extra_data: Bytes::new(),
        mix_hash: B256::ZERO,
        nonce: B64::ZERO,
        base_fee_per_gas: Some(0),
        withdrawals_root: Some(EMPTY_ROOT_HASH),
        blob_gas_used: Some(0),
        excess_blob_gas: Some(0),
        parent_beacon_block_root: Some(B256::ZERO),
        requests_hash: Some(EMPTY_REQUESTS_HASH),
        block_access_list_hash: None,
        slot_number: None,
    }
}

/// The consensus hash a header carries as its extra data; zero for block 0, which has none.
pub(crate) fn consensus_hash(header: &Header) -> B256 {
    B256::try_from(header.extra_data.as_ref()).unwrap_or_default()
}

/// `mixHash` of the block after the one with this consensus hash: known before that block's own consensus hash is.
pub(crate) fn prev_randao(parent_consensus_hash: B256) -> B256 {
    let mut preimage = [0x01; 33];
    if let Some(tail) = preimage.get_mut(1..) {
        tail.copy_from_slice(parent_consensus_hash.as_slice());
    }
    keccak256(preimage)
}

/// The header of `parent`'s child as far as it is known before execution.
pub(crate) fn child_header(
    parent: &Header,
    parent_hash: B256,
    spec: &ChainSpec,
    timestamp: u64,
    miner: Address,
) -> Header {
    let parent_consensus = consensus_hash(parent);
    Header {
        parent_hash,
        beneficiary: miner,
        number: parent.number + 1,
        gas_limit: parent.gas_limit,
        timestamp,
        mix_hash: prev_randao(parent_consensus),
        base_fee_per_gas: Some(spec.next_base_fee(parent)),
        parent_beacon_block_root: Some(parent_consensus),
        ..blank_header()
    }
}

/// What the EVM sees of a header.
pub(crate) fn block_env(header: &Header) -> BlockEnv {
    let mut env = BlockEnv {
        number: U256::from(header.number),
        beneficiary: header.beneficiary,
        timestamp: U256::from(header.timestamp),
        gas_limit: header.gas_limit,
        basefee: header.base_fee_per_gas.unwrap_or_default(),
        difficulty: U256::ZERO,
        prevrandao: Some(header.mix_hash),
        ..BlockEnv::default()
    };
    env.set_blob_excess_gas_and_price(0, BLOB_BASE_FEE_UPDATE_FRACTION_PRAGUE);
    env
}

/// Length in bytes of a block's RLP: header, transactions in their network form, no uncles, no withdrawals.
pub(crate) fn block_size(
    header: &Header,
    raw_transactions: impl Iterator<Item = impl AsRef<[u8]>>,
) -> u64 {
    let transactions: usize = raw_transactions
        .map(|raw| transaction_item_length(raw.as_ref()))
        .sum();
    let payload = header.length() + list_length(transactions) + 1 + 1;
    list_length(payload) as u64
}

/// A legacy transaction is a list of its own; a typed one is a byte string.
fn transaction_item_length(raw: &[u8]) -> usize {
    if raw.first().is_some_and(|first| *first >= 0xc0) {
        raw.len()
    } else {
        raw.length()
    }
}

fn list_length(payload: usize) -> usize {
    payload + alloy_rlp::length_of_length(payload)
}
