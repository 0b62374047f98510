//! The pending block: what the pool would make now, executed on the head for readers. Owns its lazily made copy in
//! memory; which transactions and when are the caller's, and no proposal, execution or commit ever waits for it.

use crate::candidate::Inputs;
use crate::chain::Chain;
use crate::deadline::Deadline;
use crate::error::ChainError;
use crate::execution::{Executed, execute};
use crate::header::{block_size, child_header};
use crate::receipts::{receipts_root, transactions_root};
use alloy_consensus::Header;
use alloy_primitives::{B256, Bytes};
use alloy_rlp::Encodable as _;
use cairn_state::{Snapshot, StoredHeader, StoredReceipt, StoredTx};
use std::sync::Arc;
use std::time::Duration;

/// Transactions after this are left out: readers wait for the block, and it competes with consensus for cores.
const TIME_LIMIT: Duration = Duration::from_millis(500);

/// An executed block that no one proposed. Its header has no hash yet (zero) and no extra data.
#[derive(Debug)]
pub(crate) struct Pending {
    /// Header and size.
    pub header: StoredHeader,
    /// Transactions in order.
    pub transactions: Vec<StoredTx>,
    /// One receipt per transaction.
    pub receipts: Vec<StoredReceipt>,
    /// The state after them.
    pub state: Snapshot,
}

impl Pending {
    fn new(header: Header, executed: &Executed, state: Snapshot) -> Self {
        let transactions = executed.stored_transactions();
        let receipts = executed.stored_receipts();
        let (receipts_root, logs_bloom) = receipts_root(&receipts);
        let header = Header {
            state_root: state.root(),
            transactions_root: transactions_root(&transactions),
            receipts_root,
            logs_bloom,
            gas_used: executed.gas_used,
            ..header
        };
        let mut rlp = Vec::new();
        header.encode(&mut rlp);
        let size = block_size(&header, transactions.iter().map(|tx| &tx.raw));
        Self {
            header: StoredHeader {
                header,
                hash: B256::ZERO,
                rlp: rlp.into(),
                size,
            },
            transactions,
            receipts,
            state,
        }
    }
}

impl Chain {
    /// Executes `raws` on the head, leaving out what does not execute, and keeps the block for reads of
    /// [`crate::BlockRef::Pending`] in place of the one before. Answers the head's hash it was made on.
    pub fn build_pending(&self, inputs: &Inputs, raws: Vec<Bytes>) -> Result<B256, ChainError> {
        let head = self.head();
        let timestamp = inputs.timestamp.max(head.header.timestamp);
        let (parent, parent_hash) = (&head.header, head.hash);
        let header = child_header(parent, parent_hash, &self.spec, timestamp, inputs.miner);
        let ready = raws
            .into_iter()
            .map(|raw| self.prepare_one(raw, header.gas_limit));
        let snapshot = self.state_at(head.header.number)?;
        let executed = execute(
            self.overlay(snapshot.clone()),
            self.spec.chain_id,
            &header,
            self.verdicts.clone(),
            ready,
            Deadline::after(TIME_LIMIT),
        )?;
        let state = self.store.stage(&snapshot, &executed.changes)?.snapshot();
        *self.pending.write() = Some(Arc::new(Pending::new(header, &executed, state)));
        Ok(parent_hash)
    }

    /// The block last built.
    pub(crate) fn pending(&self) -> Option<Arc<Pending>> {
        self.pending.read().clone()
    }
}
