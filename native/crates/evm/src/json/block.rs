//! The header and block objects.

use super::transaction::{Place, write_transaction};
use super::writer::JsonWriter;
use crate::error::ChainError;
use alloy_consensus::Header;
use alloy_primitives::{B256, U256};
use cairn_state::{StoredHeader, StoredTx};

/// Writes the fields of a header object, without its braces. A block without a hash is pending: as in geth, its nonce and
/// miner are null too.
fn write_header_fields(json: &mut JsonWriter, header: &Header, hash: &B256) {
    json.quantity_field("number", header.number);
    let settled = !hash.is_zero();
    json.hash_field("hash", hash);
    json.bytes_field("parentHash", header.parent_hash.as_slice());
    json.optional_bytes_field("nonce", settled.then_some(header.nonce.as_slice()));
    json.bytes_field("mixHash", header.mix_hash.as_slice());
    json.bytes_field("sha3Uncles", header.ommers_hash.as_slice());
    json.bytes_field("logsBloom", header.logs_bloom.as_slice());
    json.bytes_field("stateRoot", header.state_root.as_slice());
    json.optional_bytes_field("miner", settled.then_some(header.beneficiary.as_slice()));
    json.key("difficulty");
    json.quantity256(&header.difficulty);
    json.bytes_field("extraData", &header.extra_data);
    json.quantity_field("gasLimit", header.gas_limit);
    json.quantity_field("gasUsed", header.gas_used);
    json.quantity_field("timestamp", header.timestamp);
    json.bytes_field("transactionsRoot", header.transactions_root.as_slice());
    json.bytes_field("receiptsRoot", header.receipts_root.as_slice());
    json.quantity_field("baseFeePerGas", header.base_fee_per_gas.unwrap_or_default());
    json.bytes_field(
        "withdrawalsRoot",
        header.withdrawals_root.unwrap_or_default().as_slice(),
    );
    json.quantity_field("blobGasUsed", header.blob_gas_used.unwrap_or_default());
    json.quantity_field("excessBlobGas", header.excess_blob_gas.unwrap_or_default());
    json.bytes_field(
        "parentBeaconBlockRoot",
        header
            .parent_beacon_block_root
            .unwrap_or_default()
            .as_slice(),
    );
    json.bytes_field(
        "requestsHash",
        header.requests_hash.unwrap_or_default().as_slice(),
    );
}

/// Writes a header object, as `newHeads` and `eth_getHeaderBy*` serve it.
pub(super) fn write_header(json: &mut JsonWriter, header: &Header, hash: &B256) {
    json.open_object();
    write_header_fields(json, header, hash);
    json.close_object();
}

/// Writes a block object with transaction hashes or whole transactions.
pub(super) fn write_block(
    json: &mut JsonWriter,
    stored: &StoredHeader,
    transactions: &[StoredTx],
    full: bool,
) -> Result<(), ChainError> {
    json.open_object();
    write_block_fields(json, stored, transactions, full)?;
    json.close_object();
    Ok(())
}

/// Writes the fields of a block object, without its braces.
pub(super) fn write_block_fields(
    json: &mut JsonWriter,
    stored: &StoredHeader,
    transactions: &[StoredTx],
    full: bool,
) -> Result<(), ChainError> {
    write_header_fields(json, &stored.header, &stored.hash);
    json.key("totalDifficulty");
    json.quantity256(&U256::ZERO);
    json.quantity_field("size", stored.size);
    json.key("transactions");
    json.open_array();
    for (index, tx) in transactions.iter().enumerate() {
        if full {
            write_transaction(
                json,
                tx,
                Place {
                    header: &stored.header,
                    block_hash: &stored.hash,
                    index,
                },
            )?;
        } else {
            json.bytes(tx.hash.as_slice());
        }
    }
    json.close_array();
    json.key("uncles");
    json.raw("[]");
    json.key("withdrawals");
    json.raw("[]");
    Ok(())
}
