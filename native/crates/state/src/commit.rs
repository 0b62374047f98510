//! Committing one block: that it fits the head and itself, and its rows as one batch.

use alloy_consensus::Header;
use fjall::{Keyspace, OwnedWriteBatch, PersistMode};

use crate::blocks::{self, HeaderRow};
use crate::bytes_reader::BytesReader;
use crate::error::StateError;
use crate::keys;
use crate::log_index;
use crate::store::{Head, Inner};
use crate::trie::node::Root;
use crate::trie::record::encode_rows;
use crate::types::{CommitBlock, TxLocation};

/// Refuses a block that does not extend the head or contradicts itself.
pub(crate) fn check(block: &CommitBlock, head: Option<Head>) -> Result<(), StateError> {
    let header = &block.header;
    let (number, parent, state) = match head {
        None => (0, alloy_primitives::B256::ZERO, (None, Root::EMPTY)),
        Some(head) => (head.number + 1, head.hash, (Some(head.number), head.root)),
    };
    if header.number != number || header.parent_hash != parent || block.state.parent() != state {
        return Err(StateError::NotOnHead {
            number: header.number,
            parent: header.parent_hash,
        });
    }
    if header.state_root != block.state.root() {
        return Err(StateError::Inconsistent("state root"));
    }
    if Header::hash_slow(header) != block.hash {
        return Err(StateError::Inconsistent("block hash"));
    }
    if block.transactions.len() != block.receipts.len() {
        return Err(StateError::Inconsistent("receipts"));
    }
    Ok(())
}

/// Writes the block's rows in one synced batch.
pub(crate) fn write(inner: &Inner, block: &CommitBlock) -> Result<(), StateError> {
    let mut batch = inner
        .database
        .batch()
        .durability(Some(PersistMode::SyncAll));
    put_state(inner, block, &mut batch)?;
    put_header(inner, block, &mut batch)?;
    put_transactions(inner, block, &mut batch)?;
    for (key, row) in log_index::rows(block.header.number, &block.receipts)? {
        put(&mut batch, &inner.log_rows, &key, row);
    }
    put(
        &mut batch,
        &inner.meta,
        keys::META_HEAD,
        keys::block_key(block.header.number).to_vec(),
    );
    Ok(batch.commit()?)
}

fn put(batch: &mut OwnedWriteBatch, rows: &Keyspace, key: &[u8], row: Vec<u8>) {
    batch.insert(rows, key, row);
}

fn put_state(
    inner: &Inner,
    block: &CommitBlock,
    batch: &mut OwnedWriteBatch,
) -> Result<(), StateError> {
    let layer = block.state.layer();
    for (lane, nodes) in layer.lanes.iter().enumerate() {
        for row in encode_rows(layer.epoch, lane, nodes) {
            let (key, row) = row?;
            put(batch, &inner.node_rows, &key, row);
        }
    }
    for (hash, code) in &layer.code {
        put(batch, inner.codes.rows(), hash.as_slice(), code.to_vec());
    }
    Ok(())
}

fn put_header(
    inner: &Inner,
    block: &CommitBlock,
    batch: &mut OwnedWriteBatch,
) -> Result<(), StateError> {
    let transactions = u32::try_from(block.transactions.len())
        .map_err(|_| StateError::TooLarge("transactions"))?;
    let root = block.state.root_node();
    let row = HeaderRow {
        root_id: root.id,
        state_root: root.hash,
        hash: block.hash,
        size: block.block_size,
        transactions,
    };
    let key = keys::block_key(block.header.number);
    put(batch, &inner.headers, &key, row.encode(&block.header));
    put(
        batch,
        &inner.block_hashes,
        block.hash.as_slice(),
        key.to_vec(),
    );
    Ok(())
}

fn put_transactions(
    inner: &Inner,
    block: &CommitBlock,
    batch: &mut OwnedWriteBatch,
) -> Result<(), StateError> {
    let number = block.header.number;
    let mut first_log_index = 0u32;
    for ((index, tx), receipt) in (0u32..).zip(&block.transactions).zip(&block.receipts) {
        let key = keys::tx_key(number, index);
        put(
            batch,
            &inner.transactions,
            &key,
            blocks::encode_transaction(tx),
        );
        put(
            batch,
            &inner.receipts,
            &key,
            blocks::encode_receipt(&tx.hash, receipt, first_log_index),
        );
        put(batch, &inner.tx_hashes, tx.hash.as_slice(), key.to_vec());
        let logs = u32::try_from(receipt.logs.len()).map_err(|_| StateError::TooLarge("logs"))?;
        first_log_index = first_log_index
            .checked_add(logs)
            .ok_or(StateError::TooLarge("logs"))?;
    }
    Ok(())
}

/// Decodes a transaction's place from its hash's row.
pub(crate) fn decode_location(row: &[u8]) -> Result<TxLocation, StateError> {
    let mut reader = BytesReader::new(row);
    Ok(TxLocation {
        block: reader.u64()?,
        index: reader.u32()?,
    })
}
