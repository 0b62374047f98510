//! Reading the receipts that a log query needs, in chain order, each packed row once.

use fjall::{Keyspace, Slice};

use crate::blocks::{self, HeaderRow};
use crate::error::StateError;
use crate::keys;
use crate::packed_row;
use crate::types::LocatedReceipt;

/// A reader of committed receipts that remembers its last row.
pub(crate) struct ReceiptReader<'a> {
    headers: &'a Keyspace,
    receipts: &'a Keyspace,
    last: Option<([u8; 12], Slice)>,
}

impl<'a> ReceiptReader<'a> {
    pub(crate) fn new(headers: &'a Keyspace, receipts: &'a Keyspace) -> Self {
        Self {
            headers,
            receipts,
            last: None,
        }
    }

    /// The receipt of a committed transaction.
    pub(crate) fn receipt(&mut self, block: u64, index: u32) -> Result<LocatedReceipt, StateError> {
        let key = keys::tx_key(block, index);
        let row = match self.last.take() {
            Some((last, row)) if last == key => row,
            _ => self
                .receipts
                .get(key)?
                .ok_or_else(|| StateError::corrupt("receipt missing"))?,
        };
        let item = packed_row::item(&row, keys::tx_slot(index))?;
        let receipt =
            blocks::decode_receipt(item.ok_or_else(|| StateError::corrupt("receipt missing"))?)?;
        self.last = Some((key, row));
        Ok(receipt)
    }

    /// How many transactions a committed block has.
    pub(crate) fn count(&self, block: u64) -> Result<u32, StateError> {
        let row = self.headers.get(keys::block_key(block))?;
        let row = row.ok_or_else(|| StateError::corrupt("header missing"))?;
        Ok(HeaderRow::decode(&row)?.0.transactions)
    }
}
