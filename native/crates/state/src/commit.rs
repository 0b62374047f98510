//! Committing one block: that it fits the head and itself, and its rows as one batch.

use alloy_consensus::Header;
use fjall::{Keyspace, OwnedWriteBatch, PersistMode};

use crate::address_index;
use crate::blocks::{self, HeaderRow};
use crate::bytes_reader::BytesReader;
use crate::error::StateError;
use crate::keys::{self, Row};
use crate::log_index;
use crate::packed_row;
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
    if block.transactions.len() != block.touched.len() {
        return Err(StateError::Inconsistent("touched accounts"));
    }
    Ok(())
}

/// Writes the block's rows in one synced batch.
pub(crate) fn write(inner: &Inner, block: &CommitBlock) -> Result<(), StateError> {
    let number = block.header.number;
    let (state, bodies) = std::thread::scope(|scope| {
        let state = scope.spawn(|| state_rows(block));
        let bodies = body_rows(block);
        (
            state
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            bodies,
        )
    });
    let (state, bodies) = (state?, bodies?);
    let mut batch = inner
        .database
        .batch()
        .durability(Some(PersistMode::SyncAll));
    put(&mut batch, &inner.node_rows, state);
    put(&mut batch, &inner.transactions, bodies.transactions);
    put(&mut batch, &inner.receipts, bodies.receipts);
    put(&mut batch, &inner.tx_hashes, bodies.tx_hashes);
    put(&mut batch, &inner.log_rows, bodies.logs);
    put(&mut batch, &inner.touch_rows, bodies.touches);
    for (key, slot) in &block.state.flat().new_slots {
        batch.insert(&inner.slot_keys, key.as_slice(), slot.to_be_bytes::<32>());
    }
    for (hash, code) in &block.state.layer().code {
        batch.insert(inner.codes.rows(), hash.as_slice(), code.as_ref());
    }
    batch.insert(&inner.headers, keys::block_key(number), header_row(block)?);
    batch.insert(
        &inner.block_hashes,
        block.hash.as_slice(),
        keys::block_key(number),
    );
    batch.insert(&inner.meta, keys::META_HEAD, keys::block_key(number));
    Ok(batch.commit()?)
}

fn put(batch: &mut OwnedWriteBatch, keyspace: &Keyspace, rows: Vec<Row>) {
    for (key, row) in rows {
        batch.insert(keyspace, key, row);
    }
}

fn state_rows(block: &CommitBlock) -> Result<Vec<Row>, StateError> {
    let layer = block.state.layer();
    let lanes = layer.lanes.iter().enumerate();
    let rows = lanes.flat_map(|(lane, nodes)| encode_rows(layer.epoch, lane, nodes));
    rows.map(|row| row.map(|(key, row)| (key.to_vec(), row)))
        .collect()
}

fn header_row(block: &CommitBlock) -> Result<Vec<u8>, StateError> {
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
    Ok(row.encode(&block.header))
}

struct BodyRows {
    transactions: Vec<Row>,
    receipts: Vec<Row>,
    tx_hashes: Vec<Row>,
    logs: Vec<Row>,
    touches: Vec<Row>,
}

fn body_rows(block: &CommitBlock) -> Result<BodyRows, StateError> {
    let number = block.header.number;
    let mut first_log_index = 0u32;
    let mut items = Vec::with_capacity(block.transactions.len());
    let mut tx_hashes = Vec::with_capacity(block.transactions.len());
    for ((index, tx), receipt) in (0u32..).zip(&block.transactions).zip(&block.receipts) {
        tx_hashes.push((tx.hash.to_vec(), keys::tx_location(number, index).to_vec()));
        items.push((tx, receipt, first_log_index));
        let logs = u32::try_from(receipt.logs.len()).map_err(|_| StateError::TooLarge("logs"))?;
        first_log_index = first_log_index
            .checked_add(logs)
            .ok_or(StateError::TooLarge("logs"))?;
    }
    // Ascending keys enter the storage engine's memory table fastest.
    tx_hashes.sort_unstable();
    let (mut transactions, mut receipts) = (Vec::new(), Vec::new());
    for (chunk, first) in items
        .chunks(packed_row::ITEMS)
        .zip((0u32..).step_by(packed_row::ITEMS))
    {
        let key = keys::tx_key(number, first).to_vec();
        let row = packed_row::pack(chunk, |(tx, _, _), out| blocks::encode_transaction(tx, out))?;
        transactions.push((key.clone(), row));
        let row = packed_row::pack(chunk, |(tx, receipt, first_log_index), out| {
            blocks::encode_receipt(&tx.hash, receipt, *first_log_index, out);
        })?;
        receipts.push((key, row));
    }
    Ok(BodyRows {
        transactions,
        receipts,
        tx_hashes,
        logs: log_index::rows(number, &block.receipts)?,
        touches: address_index::rows(number, &block.touched, &block.state.flat().new_accounts)?,
    })
}

/// Decodes a transaction's place from its hash's row.
pub(crate) fn decode_location(row: &[u8]) -> Result<TxLocation, StateError> {
    let mut reader = BytesReader::new(row);
    Ok(TxLocation {
        block: reader.u64()?,
        index: reader.u32()?,
    })
}
