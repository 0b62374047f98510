//! One simulated block: its environment, its calls in order, then its header.

use super::stop::{Stop, fail};
use super::transfers::SimulationWatch;
use super::{SimulateBlock, Simulator};
use crate::error::ChainError;
use crate::execution::system_calls;
use crate::header::{blank_header, block_env, block_size};
use crate::json::JsonWriter;
use crate::json::simulated::{SimulatedBlock, SimulatedCall, write_simulated};
use crate::machine::{Watched, call_config, call_machine};
use crate::overrides::{BlockOverrides, apply_state_overrides};
use crate::precompiles::CairnPrecompiles;
use crate::receipts::{receipts_root, transactions_root};
use alloy_consensus::Header;
use cairn_state::{StoredReceipt, StoredTx};

/// A block in progress.
pub(super) struct OpenBlock {
    pub(super) machine: Watched<SimulationWatch>,
    pub(super) header: Header,
    pub(super) transactions: Vec<StoredTx>,
    pub(super) receipts: Vec<StoredReceipt>,
    pub(super) calls: Vec<SimulatedCall>,
    pub(super) gas_used: u64,
}

impl Simulator<'_> {
    /// Runs a block and writes it.
    pub(super) fn block(
        &mut self,
        block: &SimulateBlock,
        json: &mut JsonWriter,
    ) -> Result<(), Stop> {
        let mut open = self.open(block)?;
        for call in &block.calls {
            self.call(call, &mut open)?;
        }
        self.seal(open, json)
    }

    fn open(&self, block: &SimulateBlock) -> Result<OpenBlock, Stop> {
        let header = self.header(&block.block_overrides);
        let mut env = block_env(&header);
        block.block_overrides.apply_to_env(&mut env);
        let mut state = self
            .chain
            .overlay(self.snapshot.clone())
            .with_hashes(self.hashes.clone());
        let mut precompiles = CairnPrecompiles::new(self.chain.verdicts.clone());
        if let Err(text) = apply_state_overrides(&block.overrides, &mut state, &mut precompiles)? {
            return fail(-32000, text);
        }
        let mut config = call_config(self.chain.spec.chain_id);
        config.disable_nonce_check = !self.request.validation;
        config.disable_base_fee = !self.request.validation;
        let (deadline, watcher) = (self.deadline, SimulationWatch::default());
        let mut machine = call_machine(state, config, env, precompiles, deadline, watcher);
        system_calls(&mut machine, &header)?;
        Ok(OpenBlock {
            machine,
            header,
            transactions: Vec::new(),
            receipts: Vec::new(),
            calls: Vec::new(),
            gas_used: 0,
        })
    }

    fn header(&self, overrides: &BlockOverrides) -> Header {
        let base_fee = if self.request.validation {
            self.chain.spec.next_base_fee(&self.parent)
        } else {
            0
        };
        let mut header = Header {
            parent_hash: self.parent_hash,
            beneficiary: self.parent.beneficiary,
            gas_limit: self.parent.gas_limit,
            base_fee_per_gas: Some(base_fee),
            ..blank_header()
        };
        overrides.apply_to_header(&mut header);
        header
    }

    fn seal(&mut self, block: OpenBlock, json: &mut JsonWriter) -> Result<(), Stop> {
        let changes = block.machine.ctx.journaled_state.database.into_changes();
        let staged = self.chain.store.stage(&self.snapshot, &changes);
        let staged = staged.map_err(ChainError::State)?;
        let (receipts_root, logs_bloom) = receipts_root(&block.receipts);
        let header = Header {
            state_root: staged.root(),
            transactions_root: transactions_root(&block.transactions),
            receipts_root,
            logs_bloom,
            gas_used: block.gas_used,
            ..block.header
        };
        let hash = header.hash_slow();
        let size = block_size(&header, block.transactions.iter().map(|tx| &tx.raw));
        self.snapshot = staged.snapshot();
        self.hashes.insert(header.number, hash);
        let sealed = SimulatedBlock {
            header,
            hash,
            size,
            transactions: block.transactions,
            calls: block.calls,
            full: self.request.full_transactions,
        };
        write_simulated(json, &sealed)?;
        self.parent = sealed.header;
        self.parent_hash = hash;
        Ok(())
    }
}
