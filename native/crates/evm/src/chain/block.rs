//! The next block: proposed or executed on the head, sealed, made durable.

use super::{Chain, Head};
use crate::candidate::{Candidate, Inputs, Sealed, execution_key};
use crate::deadline::Deadline;
use crate::error::ChainError;
use crate::execution::{Executed, execute};
use crate::header::child_header;
use alloy_consensus::Header;
use alloy_primitives::{Address, B256, Bytes, keccak256};
use cairn_state::{StoredReceipt, StoredTx};
use std::sync::Arc;

/// What `commit` made durable.
#[derive(Debug)]
pub struct Committed {
    /// The new head.
    pub head: Arc<Head>,
    /// Its transactions.
    pub transactions: Vec<StoredTx>,
    /// Their receipts.
    pub receipts: Vec<StoredReceipt>,
    /// Every account the block changed, ascending.
    pub changed: Vec<Address>,
}

impl Chain {
    /// Dry run on the head state: indices of the transactions that execute, in the given order. The execution of
    /// exactly those is kept for [`Chain::execute`].
    pub fn propose(&self, inputs: &Inputs, raws: Vec<Bytes>) -> Result<Vec<usize>, ChainError> {
        let mut slot = self.candidate.lock();
        let head = self.head();
        let (header, mut executed) = self.run(&head, inputs, raws)?;
        let chosen =
            |(index, outcome): (usize, &Result<usize, _>)| outcome.is_ok().then_some(index);
        let indices: Vec<usize> = executed
            .outcomes
            .iter()
            .enumerate()
            .filter_map(chosen)
            .collect();
        executed.outcomes.retain(Result::is_ok);
        let hashes = executed.included.iter().map(|item| item.ready.tx.hash);
        let key = execution_key(head.hash, inputs, hashes);
        *slot = Some(Candidate::new(key, header, executed));
        Ok(indices)
    }

    /// Executes a block on the head state and seals it with its consensus hash; `read` sees the result. A block that
    /// was just proposed or executed is not executed again.
    pub fn execute<T>(
        &self,
        inputs: &Inputs,
        consensus_hash: B256,
        raws: Vec<Bytes>,
        read: impl FnOnce(&Executed, &Sealed) -> T,
    ) -> Result<T, ChainError> {
        let mut slot = self.candidate.lock();
        let head = self.head();
        let key = execution_key(head.hash, inputs, raws.iter().map(keccak256));
        let mut candidate = match slot.take() {
            Some(candidate) if candidate.key == key => candidate,
            _ => {
                let (header, executed) = self.run(&head, inputs, raws)?;
                Candidate::new(key, header, executed)
            }
        };
        let parent = self.state_at(head.header.number)?;
        let (executed, sealed) =
            candidate.seal(consensus_hash, &self.store, &parent, &self.workers)?;
        let answer = read(executed, sealed);
        *slot = Some(candidate);
        Ok(answer)
    }

    fn run(
        &self,
        head: &Head,
        inputs: &Inputs,
        raws: Vec<Bytes>,
    ) -> Result<(Header, Executed), ChainError> {
        let expected = head.header.number + 1;
        if inputs.height != expected {
            return Err(ChainError::Sequence(format!(
                "height {} asked, {expected} is next",
                inputs.height
            )));
        }
        if inputs.timestamp < head.header.timestamp {
            return Err(ChainError::Sequence(
                "the timestamp is below the parent's".to_owned(),
            ));
        }
        let header = child_header(
            &head.header,
            head.hash,
            &self.spec,
            inputs.timestamp,
            inputs.miner,
        );
        let txs = self.prepare(raws, header.gas_limit);
        let state = self.overlay(self.state_at(head.header.number)?);
        let executed = execute(
            state,
            self.spec.chain_id,
            &header,
            self.verdicts.clone(),
            txs,
            Deadline::NEVER,
        )?;
        Ok((header, executed))
    }

    /// Makes the block last executed durable in one atomic write.
    pub fn commit(&self) -> Result<Committed, ChainError> {
        let mut slot = self.candidate.lock();
        let nothing = || ChainError::Sequence("no executed block to commit".to_owned());
        let expected = self.head().header.number + 1;
        let is_next = |candidate: &mut Candidate| {
            candidate.height() == expected && candidate.sealed().is_some()
        };
        let candidate = slot.take_if(is_next).ok_or_else(nothing)?;
        let changed = candidate.executed.changes.accounts.keys().copied();
        let changed: Vec<Address> = changed.collect();
        let block = candidate.into_commit().ok_or_else(nothing)?;
        self.store.commit(&block)?;
        let head = Arc::new(Head {
            header: block.header,
            hash: block.hash,
        });
        *self.head.write() = head.clone();
        Ok(Committed {
            head,
            transactions: block.transactions,
            receipts: block.receipts,
            changed,
        })
    }
}
