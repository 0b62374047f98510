//! The receipt and log objects.

use super::transaction::{Place, decode_stored};
use super::writer::JsonWriter;
use crate::error::ChainError;
use crate::receipts::receipt_bloom;
use alloy_consensus::{Header, Transaction as _};
use alloy_primitives::{B256, Log};
use cairn_state::{StoredReceipt, StoredTx};

/// Where a log stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct LogPlace<'a> {
    /// Its block.
    pub header: &'a Header,
    /// Hash of its block.
    pub block_hash: &'a B256,
    /// Hash of its transaction.
    pub tx_hash: &'a B256,
    /// Index of its transaction.
    pub tx_index: u64,
    /// Its own index in the block.
    pub log_index: u64,
}

/// Writes one log.
pub(super) fn write_log(json: &mut JsonWriter, log: &Log, place: LogPlace<'_>) {
    json.open_object();
    json.bytes_field("address", log.address.as_slice());
    json.key("topics");
    json.open_array();
    for topic in log.topics() {
        json.bytes(topic.as_slice());
    }
    json.close_array();
    json.bytes_field("data", &log.data.data);
    json.quantity_field("blockNumber", place.header.number);
    json.bytes_field("transactionHash", place.tx_hash.as_slice());
    json.quantity_field("transactionIndex", place.tx_index);
    json.hash_field("blockHash", place.block_hash);
    json.quantity_field("blockTimestamp", place.header.timestamp);
    json.quantity_field("logIndex", place.log_index);
    json.key("removed");
    json.raw("false");
    json.close_object();
}

/// Writes the elements of an array of a receipt's logs; `first` is the block-wide index of the first of them.
pub(super) fn write_logs(
    json: &mut JsonWriter,
    receipt: &StoredReceipt,
    tx_hash: &B256,
    place: Place<'_>,
    first: u64,
) {
    for (offset, log) in receipt.logs.iter().enumerate() {
        let place = LogPlace {
            header: place.header,
            block_hash: place.block_hash,
            tx_hash,
            tx_index: place.index as u64,
            log_index: first + offset as u64,
        };
        write_log(json, log, place);
    }
}

/// Writes one receipt.
pub(super) fn write_receipt(
    json: &mut JsonWriter,
    stored: &StoredTx,
    receipt: &StoredReceipt,
    place: Place<'_>,
    first_log: u64,
) -> Result<(), ChainError> {
    let tx = decode_stored(stored)?;
    json.open_object();
    json.hash_field("blockHash", place.block_hash);
    json.quantity_field("blockNumber", place.header.number);
    json.optional_bytes_field(
        "contractAddress",
        receipt
            .contract_address
            .as_ref()
            .map(|made| made.as_slice()),
    );
    json.quantity_field("cumulativeGasUsed", receipt.cumulative_gas_used);
    json.key("effectiveGasPrice");
    json.quantity128(receipt.effective_gas_price);
    json.bytes_field("from", stored.sender.as_slice());
    json.quantity_field("gasUsed", receipt.gas_used);
    json.key("logs");
    json.open_array();
    write_logs(json, receipt, &stored.hash, place, first_log);
    json.close_array();
    json.bytes_field("logsBloom", receipt_bloom(receipt).as_slice());
    json.quantity_field("status", u64::from(receipt.success));
    json.optional_bytes_field("to", tx.to().as_ref().map(|to| to.as_slice()));
    json.bytes_field("transactionHash", stored.hash.as_slice());
    json.quantity_field("transactionIndex", place.index as u64);
    json.quantity_field("type", u64::from(receipt.tx_type));
    json.close_object();
    Ok(())
}
