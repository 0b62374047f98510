//! The transaction object of a committed transaction.

use super::writer::JsonWriter;
use crate::error::ChainError;
use crate::transaction::{Envelope, decode};
use alloy_consensus::{Header, Transaction as _};
use alloy_eips::eip2930::AccessList;
use alloy_eips::eip7702::SignedAuthorization;
use alloy_primitives::B256;
use cairn_state::{StateError, StoredTx};

/// Where a committed transaction stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    /// Its block.
    pub header: &'a Header,
    /// Hash of its block.
    pub block_hash: &'a B256,
    /// Its index there.
    pub index: usize,
}

impl Place<'_> {
    fn is_mined(&self) -> bool {
        !self.block_hash.is_zero()
    }
}

/// Decodes a committed transaction; a failure means a damaged store.
pub(super) fn decode_stored(tx: &StoredTx) -> Result<Envelope, ChainError> {
    let damaged = |_| {
        ChainError::State(StateError::Corrupt(format!(
            "transaction {} does not decode",
            tx.hash
        )))
    };
    Ok(decode(tx.raw.clone()).map_err(damaged)?.envelope)
}

/// Writes a transaction; `gasPrice` is the effective price. In a block without hash it is not mined yet: its place is
/// null and `gasPrice` the fee cap, as for any pooled transaction.
pub(super) fn write_transaction(
    json: &mut JsonWriter,
    stored: &StoredTx,
    place: Place<'_>,
) -> Result<(), ChainError> {
    let tx = decode_stored(stored)?;
    json.open_object();
    let mined = place.is_mined();
    json.hash_field("blockHash", place.block_hash);
    json.optional_quantity_field("blockNumber", mined.then_some(place.header.number));
    if mined {
        json.quantity_field("blockTimestamp", place.header.timestamp);
    }
    json.bytes_field("from", stored.sender.as_slice());
    json.quantity_field("gas", tx.gas_limit());
    write_prices(json, &tx, place);
    json.bytes_field("hash", stored.hash.as_slice());
    json.bytes_field("input", tx.input());
    json.quantity_field("nonce", tx.nonce());
    json.optional_bytes_field("to", tx.to().as_ref().map(|to| to.as_slice()));
    json.optional_quantity_field("transactionIndex", mined.then_some(place.index as u64));
    json.key("value");
    json.quantity256(&tx.value());
    json.quantity_field("type", tx.tx_type() as u64);
    if let Some(list) = tx.access_list() {
        write_access_list(json, list);
    }
    if let Some(id) = tx.chain_id() {
        json.quantity_field("chainId", id);
    }
    if let Some(list) = tx.authorization_list() {
        write_authorizations(json, list);
    }
    write_signature(json, &tx);
    json.close_object();
    Ok(())
}

fn write_prices(json: &mut JsonWriter, tx: &Envelope, place: Place<'_>) {
    json.key("gasPrice");
    json.quantity128(if place.is_mined() {
        tx.effective_gas_price(place.header.base_fee_per_gas)
    } else {
        tx.max_fee_per_gas()
    });
    if let Some(tip) = tx.max_priority_fee_per_gas() {
        json.key("maxFeePerGas");
        json.quantity128(tx.max_fee_per_gas());
        json.key("maxPriorityFeePerGas");
        json.quantity128(tip);
    }
}

fn write_signature(json: &mut JsonWriter, tx: &Envelope) {
    let signature = tx.signature();
    let parity = u64::from(signature.v());
    let v = match (tx.is_legacy(), tx.chain_id()) {
        (true, Some(id)) => u128::from(id) * 2 + 35 + u128::from(parity),
        (true, None) => 27 + u128::from(parity),
        (false, _) => u128::from(parity),
    };
    json.key("v");
    json.quantity128(v);
    json.key("r");
    json.quantity256(&signature.r());
    json.key("s");
    json.quantity256(&signature.s());
    if !tx.is_legacy() {
        json.quantity_field("yParity", parity);
    }
}

/// Writes the `accessList` field.
pub(crate) fn write_access_list(json: &mut JsonWriter, list: &AccessList) {
    json.key("accessList");
    json.open_array();
    for item in list.iter() {
        json.open_object();
        json.bytes_field("address", item.address.as_slice());
        json.key("storageKeys");
        json.open_array();
        for key in &item.storage_keys {
            json.bytes(key.as_slice());
        }
        json.close_array();
        json.close_object();
    }
    json.close_array();
}

fn write_authorizations(json: &mut JsonWriter, list: &[SignedAuthorization]) {
    json.key("authorizationList");
    json.open_array();
    for item in list {
        json.open_object();
        json.key("chainId");
        json.quantity256(&item.chain_id);
        json.bytes_field("address", item.address.as_slice());
        json.quantity_field("nonce", item.nonce);
        json.quantity_field("yParity", u64::from(item.y_parity()));
        json.key("r");
        json.quantity256(&item.r());
        json.key("s");
        json.quantity256(&item.s());
        json.close_object();
    }
    json.close_array();
}
