//! The stored form of headers, transactions and receipts: a row per header, and packed rows of transactions and
//! of receipts, each item readable alone.

use alloy_consensus::Header;
use alloy_primitives::{B256, Bytes, Log, LogData};
use alloy_rlp::{Decodable, Encodable};

use crate::bytes_reader::{BytesReader, put_varint};
use crate::error::StateError;
use crate::trie::node::{NodeId, Root};
use crate::types::{LocatedReceipt, StoredHeader, StoredReceipt, StoredTx};

const SUCCESS: u8 = 1;
const CREATED: u8 = 2;

/// A header's row: what is needed often stands before the RLP, which most readers skip.
pub(crate) struct HeaderRow {
    pub(crate) root_id: NodeId,
    pub(crate) state_root: B256,
    pub(crate) hash: B256,
    pub(crate) size: u64,
    pub(crate) transactions: u32,
}

impl HeaderRow {
    /// Root of the state after the block.
    pub(crate) fn root(&self) -> Root {
        Root {
            hash: self.state_root,
            id: self.root_id,
        }
    }

    /// The row: these fields, then the header's RLP.
    pub(crate) fn encode(&self, header: &Header) -> Vec<u8> {
        let mut out = Vec::with_capacity(800);
        out.extend_from_slice(&self.root_id.0.to_be_bytes());
        out.extend_from_slice(self.state_root.as_slice());
        out.extend_from_slice(self.hash.as_slice());
        out.extend_from_slice(&self.size.to_be_bytes());
        out.extend_from_slice(&self.transactions.to_be_bytes());
        header.encode(&mut out);
        out
    }

    /// The fields of a row, and the header's RLP behind them.
    pub(crate) fn decode(row: &[u8]) -> Result<(Self, &[u8]), StateError> {
        let mut reader = BytesReader::new(row);
        let fields = Self {
            root_id: NodeId(reader.u64()?),
            state_root: reader.hash()?,
            hash: reader.hash()?,
            size: reader.u64()?,
            transactions: reader.u32()?,
        };
        Ok((fields, reader.rest()))
    }
}

/// Decodes a whole header row.
pub(crate) fn decode_header(row: &[u8]) -> Result<StoredHeader, StateError> {
    let (fields, rlp) = HeaderRow::decode(row)?;
    let mut rest = rlp;
    let header =
        Header::decode(&mut rest).map_err(|_| StateError::corrupt("header does not decode"))?;
    Ok(StoredHeader {
        header,
        hash: fields.hash,
        rlp: Bytes::copy_from_slice(rlp),
        size: fields.size,
    })
}

/// Appends a transaction's row.
pub(crate) fn encode_transaction(tx: &StoredTx, out: &mut Vec<u8>) {
    out.extend_from_slice(tx.hash.as_slice());
    out.extend_from_slice(tx.sender.as_slice());
    out.extend_from_slice(&tx.raw);
}

/// A transaction from its row.
pub(crate) fn decode_transaction(row: &[u8]) -> Result<StoredTx, StateError> {
    let mut reader = BytesReader::new(row);
    let (hash, sender) = (reader.hash()?, reader.address()?);
    Ok(StoredTx {
        raw: Bytes::copy_from_slice(reader.rest()),
        hash,
        sender,
    })
}

/// Appends a receipt's row.
pub(crate) fn encode_receipt(
    tx_hash: &B256,
    receipt: &StoredReceipt,
    first_log_index: u32,
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(tx_hash.as_slice());
    out.push(receipt.tx_type);
    out.push(
        u8::from(receipt.success) * SUCCESS
            + u8::from(receipt.contract_address.is_some()) * CREATED,
    );
    put_varint(out, receipt.cumulative_gas_used);
    put_varint(out, receipt.gas_used);
    put_varint(out, receipt.effective_gas_price);
    if let Some(address) = receipt.contract_address {
        out.extend_from_slice(address.as_slice());
    }
    put_varint(out, first_log_index);
    put_varint(out, receipt.logs.len() as u64);
    for log in &receipt.logs {
        encode_log(log, out);
    }
}

fn encode_log(log: &Log, out: &mut Vec<u8>) {
    out.extend_from_slice(log.address.as_slice());
    out.push(log.data.topics().len() as u8);
    for topic in log.data.topics() {
        out.extend_from_slice(topic.as_slice());
    }
    put_varint(out, log.data.data.len() as u64);
    out.extend_from_slice(&log.data.data);
}

/// A receipt and its place from its row.
pub(crate) fn decode_receipt(row: &[u8]) -> Result<LocatedReceipt, StateError> {
    let mut reader = BytesReader::new(row);
    let tx_hash = reader.hash()?;
    let tx_type = reader.byte()?;
    let flags = reader.byte()?;
    let cumulative_gas_used = reader.varint_as()?;
    let gas_used = reader.varint_as()?;
    let effective_gas_price = reader.varint()?;
    let contract_address = if flags & CREATED == 0 {
        None
    } else {
        Some(reader.address()?)
    };
    let first_log_index = reader.varint_as()?;
    let count: u32 = reader.varint_as()?;
    let logs = (0..count)
        .map(|_| decode_log(&mut reader))
        .collect::<Result<_, _>>()?;
    if !reader.is_empty() {
        return Err(StateError::corrupt("receipt row too long"));
    }
    let success = flags & SUCCESS != 0;
    let receipt = StoredReceipt {
        tx_type,
        success,
        cumulative_gas_used,
        gas_used,
        effective_gas_price,
        contract_address,
        logs,
    };
    Ok(LocatedReceipt {
        receipt,
        tx_hash,
        first_log_index,
    })
}

fn decode_log(reader: &mut BytesReader<'_>) -> Result<Log, StateError> {
    let address = reader.address()?;
    let topics = (0..reader.byte()?)
        .map(|_| reader.hash())
        .collect::<Result<Vec<_>, _>>()?;
    let length = reader.varint_as()?;
    let data = Bytes::copy_from_slice(reader.take(length)?);
    let data = LogData::new(topics, data)
        .ok_or_else(|| StateError::corrupt("log with too many topics"))?;
    Ok(Log { address, data })
}
