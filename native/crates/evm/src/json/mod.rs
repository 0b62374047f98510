//! JSON text of the chain's objects in geth's shapes. Owns which fields appear and how they are spelt; the reads
//! themselves are the store's.

mod block;
mod fee_history;
mod proof;
mod receipt;
pub(crate) mod simulated;
mod transaction;
mod writer;

pub(crate) use transaction::write_access_list;
pub use writer::JsonWriter;
pub(crate) use writer::push_hex;

use crate::chain::{Chain, Committed};
use crate::error::ChainError;
use crate::execution::Executed;
use crate::read::BlockRef;
use alloy_consensus::Header;
use alloy_primitives::B256;
use block::{write_block, write_header};
use cairn_state::{LogMatch, LogMatches, LogQuery, StateError, StoredHeader, TxLocation};
use receipt::{LogPlace, write_log, write_logs, write_receipt};
use std::time::{Duration, Instant};
use transaction::{Place, write_transaction};

/// JSON text of a header object.
pub fn header_json(header: &Header, hash: &B256) -> String {
    let mut json = JsonWriter::with_capacity(2048);
    write_header(&mut json, header, hash);
    json.finish()
}

/// JSON text of the array of all logs of a block just committed.
pub fn committed_logs_json(committed: &Committed) -> String {
    let place = |index| Place {
        header: &committed.head.header,
        block_hash: &committed.head.hash,
        index,
    };
    let mut json = JsonWriter::default();
    json.open_array();
    let mut first = 0u64;
    for (index, (tx, receipt)) in committed
        .transactions
        .iter()
        .zip(&committed.receipts)
        .enumerate()
    {
        write_logs(&mut json, receipt, &tx.hash, place(index), first);
        first += receipt.logs.len() as u64;
    }
    json.close_array();
    json.finish()
}

/// JSON text of the array of logs of each transaction of a sealed block, in order.
pub fn executed_logs_json(executed: &Executed, header: &Header, hash: &B256) -> Vec<String> {
    let mut first = 0u64;
    let mut texts = Vec::with_capacity(executed.included.len());
    for (index, item) in executed.included.iter().enumerate() {
        let mut json = JsonWriter::default();
        json.open_array();
        let place = Place {
            header,
            block_hash: hash,
            index,
        };
        write_logs(&mut json, &item.receipt, &item.ready.tx.hash, place, first);
        first += item.receipt.logs.len() as u64;
        json.close_array();
        texts.push(json.finish());
    }
    texts
}

/// Blocks and receipts that a small log search may look at.
const SMALL_ROWS: u32 = 48;
/// Addresses and topics of a small log search.
const SMALL_CONDITIONS: usize = 6;
/// A log search is given up after this.
const LOGS_TIME_LIMIT: Duration = Duration::from_secs(10);

/// What a log search came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogsOutcome {
    /// JSON text of the array of logs.
    Found(String),
    /// More than [`LogQuery::max`] logs match.
    TooManyResults,
    /// The search took longer than the node allows.
    Timeout,
}

impl Chain {
    /// `eth_getHeaderBy*`; `None` for an unknown block.
    pub fn header_json(&self, block: BlockRef) -> Result<Option<String>, ChainError> {
        Ok(self
            .stored_header(block)?
            .map(|stored| header_json(&stored.header, &stored.hash)))
    }

    /// `eth_getBlockBy*`; `None` for an unknown block.
    pub fn block_json(&self, block: BlockRef, full: bool) -> Result<Option<String>, ChainError> {
        let Some(stored) = self.stored_header(block)? else {
            return Ok(None);
        };
        let transactions = self.transactions_of(block)?;
        let per_transaction = if full { 1024 } else { 72 };
        let mut json = JsonWriter::with_capacity(2048 + transactions.len() * per_transaction);
        write_block(&mut json, &stored, &transactions, full)?;
        Ok(Some(json.finish()))
    }

    /// `eth_getTransactionByHash` of a committed transaction.
    pub fn transaction_json(&self, hash: &B256) -> Result<Option<String>, ChainError> {
        match self.store.locate(hash)? {
            Some(location) => self.located_transaction_json(location),
            None => Ok(None),
        }
    }

    /// `eth_getTransactionByBlock*AndIndex`.
    pub fn transaction_by_index_json(
        &self,
        block: BlockRef,
        index: u32,
    ) -> Result<Option<String>, ChainError> {
        if block == BlockRef::Pending {
            return self.pending_transaction_json(index);
        }
        match self.resolve(block)? {
            Some(number) => self.located_transaction_json(TxLocation {
                block: number,
                index,
            }),
            None => Ok(None),
        }
    }

    fn pending_transaction_json(&self, index: u32) -> Result<Option<String>, ChainError> {
        let Some(pending) = self.pending() else {
            return Ok(None);
        };
        let Some(tx) = pending.transactions.get(index as usize) else {
            return Ok(None);
        };
        let mut json = JsonWriter::with_capacity(1024 + tx.raw.len() * 2);
        write_transaction(&mut json, tx, place_in(&pending.header, index as usize))?;
        Ok(Some(json.finish()))
    }

    fn located_transaction_json(&self, location: TxLocation) -> Result<Option<String>, ChainError> {
        let Some(tx) = self.store.transaction(location)? else {
            return Ok(None);
        };
        let Some(stored) = self.store.header(location.block)? else {
            return Ok(None);
        };
        let mut json = JsonWriter::with_capacity(1024 + tx.raw.len() * 2);
        write_transaction(&mut json, &tx, place_in(&stored, location.index as usize))?;
        Ok(Some(json.finish()))
    }

    /// `eth_getTransactionReceipt` of a committed transaction.
    pub fn receipt_json(&self, hash: &B256) -> Result<Option<String>, ChainError> {
        let Some(location) = self.store.locate(hash)? else {
            return Ok(None);
        };
        let Some(tx) = self.store.transaction(location)? else {
            return Ok(None);
        };
        let Some(located) = self.store.receipt(location)? else {
            return Ok(None);
        };
        let Some(stored) = self.store.header(location.block)? else {
            return Ok(None);
        };
        let mut json = JsonWriter::with_capacity(2048);
        let place = place_in(&stored, location.index as usize);
        write_receipt(
            &mut json,
            &tx,
            &located.receipt,
            place,
            u64::from(located.first_log_index),
        )?;
        Ok(Some(json.finish()))
    }

    /// `eth_getBlockReceipts`; `None` for an unknown block.
    pub fn block_receipts_json(&self, block: BlockRef) -> Result<Option<String>, ChainError> {
        let Some(stored) = self.stored_header(block)? else {
            return Ok(None);
        };
        let transactions = self.transactions_of(block)?;
        let receipts = self.receipts_of(block)?;
        let mut json = JsonWriter::with_capacity(16 + receipts.len() * 1536);
        json.open_array();
        let mut first = 0u64;
        for (index, (tx, receipt)) in transactions.iter().zip(&receipts).enumerate() {
            write_receipt(&mut json, tx, receipt, place_in(&stored, index), first)?;
            first += receipt.logs.len() as u64;
        }
        json.close_array();
        Ok(Some(json.finish()))
    }

    /// `eth_getLogs` over a range of existing blocks.
    pub fn logs_json(&self, query: &LogQuery) -> Result<LogsOutcome, ChainError> {
        let found = match self
            .store
            .logs_until(query, Instant::now() + LOGS_TIME_LIMIT)
        {
            Ok(found) if found.truncated => return Ok(LogsOutcome::TooManyResults),
            Ok(found) => found,
            Err(StateError::Deadline) => return Ok(LogsOutcome::Timeout),
            Err(error) => return Err(error.into()),
        };
        Ok(LogsOutcome::Found(self.write_matches(&found)?))
    }

    /// [`Self::logs_json`] of a search that takes about 100 µs at most; `None` when it would take more.
    pub fn logs_small(&self, query: &LogQuery) -> Result<Option<LogsOutcome>, ChainError> {
        let conditions = query.topics.iter().map(Vec::len).sum::<usize>() + query.addresses.len();
        if conditions > SMALL_CONDITIONS {
            return Ok(None);
        }
        match self.store.logs_within(query, SMALL_ROWS) {
            Ok(found) if found.truncated => Ok(Some(LogsOutcome::TooManyResults)),
            Ok(found) => Ok(Some(LogsOutcome::Found(self.write_matches(&found)?))),
            Err(StateError::Deadline) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn write_matches(&self, found: &LogMatches) -> Result<String, ChainError> {
        let mut json = JsonWriter::with_capacity(16 + found.matches.len() * 768);
        let mut block: Option<StoredHeader> = None;
        json.open_array();
        for matched in &found.matches {
            if block
                .as_ref()
                .is_none_or(|known| known.header.number != matched.block)
            {
                block = self.store.header(matched.block)?;
            }
            if let Some(stored) = &block {
                write_log(&mut json, &matched.log, log_place(stored, matched));
            }
        }
        json.close_array();
        Ok(json.finish())
    }
}

fn place_in(stored: &StoredHeader, index: usize) -> Place<'_> {
    Place {
        header: &stored.header,
        block_hash: &stored.hash,
        index,
    }
}

fn log_place<'a>(stored: &'a StoredHeader, matched: &'a LogMatch) -> LogPlace<'a> {
    LogPlace {
        header: &stored.header,
        block_hash: &stored.hash,
        tx_hash: &matched.tx_hash,
        tx_index: u64::from(matched.tx_index),
        log_index: u64::from(matched.log_index),
    }
}
