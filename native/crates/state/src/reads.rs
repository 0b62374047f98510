//! Reading committed blocks, transactions, receipts and logs. Nothing above the head is ever answered.

use std::time::Instant;

use alloy_primitives::B256;
use fjall::Keyspace;

use crate::blocks;
use crate::commit;
use crate::error::StateError;
use crate::keys;
use crate::log_search::{self, Effort};
use crate::packed_row;
use crate::receipt_reader::ReceiptReader;
use crate::store::Store;
use crate::types::{
    LocatedReceipt, LogMatches, LogQuery, StoredHeader, StoredReceipt, StoredTx, TxLocation,
};

impl Store {
    /// A committed header.
    ///
    /// # Errors
    /// `io` or `corrupt` when the row cannot be read.
    pub fn header(&self, number: u64) -> Result<Option<StoredHeader>, StateError> {
        if self.covering(number).is_none() {
            return Ok(None);
        }
        blocks::decode_header(&self.inner.header_row(number)?).map(Some)
    }

    /// A committed block's transactions.
    ///
    /// # Errors
    /// `io` or `corrupt` when a row cannot be read.
    pub fn transactions(&self, number: u64) -> Result<Option<Vec<StoredTx>>, StateError> {
        self.block_rows(&self.inner.transactions, number, blocks::decode_transaction)
    }

    /// A committed block's receipts.
    ///
    /// # Errors
    /// `io` or `corrupt` when a row cannot be read.
    pub fn receipts(&self, number: u64) -> Result<Option<Vec<StoredReceipt>>, StateError> {
        self.block_rows(&self.inner.receipts, number, |row| {
            Ok(blocks::decode_receipt(row)?.receipt)
        })
    }

    /// Where a committed transaction stands.
    ///
    /// # Errors
    /// `io` or `corrupt` when the row cannot be read.
    pub fn locate(&self, tx_hash: &B256) -> Result<Option<TxLocation>, StateError> {
        let Some(row) = self.inner.tx_hashes.get(tx_hash)? else {
            return Ok(None);
        };
        let location = commit::decode_location(&row)?;
        Ok(self.covering(location.block).map(|_| location))
    }

    /// One committed transaction, without reading its block; `None` when the place does not exist.
    ///
    /// # Errors
    /// `io` or `corrupt` when the row cannot be read.
    pub fn transaction(&self, location: TxLocation) -> Result<Option<StoredTx>, StateError> {
        self.tx_row(
            &self.inner.transactions,
            location,
            blocks::decode_transaction,
        )
    }

    /// One committed receipt, without reading its block; `None` when the place does not exist.
    ///
    /// # Errors
    /// `io` or `corrupt` when the row cannot be read.
    pub fn receipt(&self, location: TxLocation) -> Result<Option<LocatedReceipt>, StateError> {
        self.tx_row(&self.inner.receipts, location, blocks::decode_receipt)
    }

    /// Committed logs that match a query, in chain order. Blocks above the head match nothing.
    ///
    /// # Errors
    /// `io` or `corrupt` when a row cannot be read.
    pub fn logs(&self, query: &LogQuery) -> Result<LogMatches, StateError> {
        self.search(query, Effort::Whole)
    }

    /// As [`Store::logs`], given up at a deadline.
    ///
    /// # Errors
    /// As [`Store::logs`], and `deadline`.
    pub fn logs_until(
        &self,
        query: &LogQuery,
        deadline: Instant,
    ) -> Result<LogMatches, StateError> {
        self.search(query, Effort::Until(deadline))
    }

    /// As [`Store::logs`], given up after so many blocks and receipts.
    ///
    /// # Errors
    /// As [`Store::logs`], and `deadline`, also for a query without conditions.
    pub fn logs_within(&self, query: &LogQuery, rows: u32) -> Result<LogMatches, StateError> {
        self.search(query, Effort::Rows(rows))
    }

    fn search(&self, query: &LogQuery, effort: Effort) -> Result<LogMatches, StateError> {
        let Some(head) = *self.inner.head.read() else {
            return Ok(LogMatches::default());
        };
        let query = LogQuery {
            to: query.to.min(head.number),
            ..query.clone()
        };
        let mut receipts = ReceiptReader::new(&self.inner.headers, &self.inner.receipts);
        log_search::search(&self.inner.log_rows, &mut receipts, &query, effort)
    }

    fn tx_row<T>(
        &self,
        rows: &Keyspace,
        location: TxLocation,
        decode: impl Fn(&[u8]) -> Result<T, StateError>,
    ) -> Result<Option<T>, StateError> {
        if self.covering(location.block).is_none() {
            return Ok(None);
        }
        let Some(row) = rows.get(keys::tx_key(location.block, location.index))? else {
            return Ok(None);
        };
        packed_row::item(&row, keys::tx_slot(location.index))?
            .map(decode)
            .transpose()
    }

    fn block_rows<T>(
        &self,
        rows: &Keyspace,
        number: u64,
        decode: impl Fn(&[u8]) -> Result<T, StateError>,
    ) -> Result<Option<Vec<T>>, StateError> {
        if self.covering(number).is_none() {
            return Ok(None);
        }
        let count = self.inner.header_fields(number)?.transactions;
        let mut found = Vec::with_capacity(count as usize);
        for row in rows.prefix(keys::block_key(number)) {
            let row = row.value()?;
            for slot in 0..packed_row::count(&row) {
                let item = packed_row::item(&row, slot)?;
                found.push(decode(
                    item.ok_or_else(|| StateError::corrupt("block lacks rows"))?,
                )?);
            }
        }
        if found.len() != count as usize {
            return Err(StateError::corrupt("block lacks rows"));
        }
        Ok(Some(found))
    }
}
