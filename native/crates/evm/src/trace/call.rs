//! Messages that are no committed transactions, watched: with overrides, one after the other, or as signed.

use super::TraceFailure;
use super::entries::Collected;
use super::plan::{Plan, Planned};
use super::replay::Replay;
use super::request::{CallTrace, Message, OneCall};
use super::stage::{Pile, Stage};
use super::tracer::Subject;
use crate::call::call_env;
use crate::error::ChainError;
use crate::execution::tx_env;
use crate::header::block_env;
use crate::machine::{call_config, consensus_config};
use crate::overlay::{ReadError, analysed};
use crate::overrides::{AccountOverride, BlockOverrides, Overridable, apply_state_overrides};
use crate::precompiles::VerdictMemory;
use crate::scene::NO_BEACON_ROOT;
use crate::transaction::decode;
use alloy_primitives::{Address, U256};
use cairn_state::StateError;
use revm::context::{BlockEnv, CfgEnv, TxEnv};
use revm::database::CacheDB;
use revm::{Database as _, DatabaseRef};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Plan {
    /// Runs a message on the plan's block, or within it.
    pub(super) fn call<D: DatabaseRef<Error = ReadError>>(
        &self,
        request: &CallTrace,
        source: D,
        verdicts: Arc<VerdictMemory>,
    ) -> Result<String, TraceFailure> {
        if request.block_overrides.beacon_root.is_some() {
            return Err(TraceFailure::Failed(NO_BEACON_ROOT.to_owned()));
        }
        let header = self.header()?;
        let state = match request.tx_index {
            Some(index) => {
                let mut replay = Replay::open(self, source, verdicts.clone())?;
                replay.advance(index)?;
                replay.into_state()
            }
            None => CacheDB::new(source),
        };
        let mut block = block_env(&header);
        apply_block(&mut block, &request.block_overrides);
        let tx = self.message(&request.call, header.gas_limit);
        if tx.gas_price == 0 {
            block.basefee = 0;
        }
        let mut stage = Stage::new(state, self.message_config(), block, verdicts);
        let state = &mut stage.evm.ctx.journaled_state.database;
        apply_state_overrides(&request.state_overrides, state, &mut stage.evm.precompiles)?
            .map_err(TraceFailure::Failed)?;
        stage
            .watch(tx, Subject::default(), &self.options, false)?
            .map_err(TraceFailure::Failed)
    }

    /// Runs messages one after the other: a JSON array of their traces.
    pub(super) fn calls<D: DatabaseRef<Error = ReadError>>(
        &self,
        calls: &[OneCall],
        source: D,
        verdicts: Arc<VerdictMemory>,
    ) -> Result<String, TraceFailure> {
        let header = self.header()?;
        let block = block_env(&header);
        let mut stage = Stage::new(CacheDB::new(source), self.message_config(), block, verdicts);
        let base_fee = stage.evm.ctx.block.basefee;
        let mut traces = Collected::default();
        for one in calls {
            let tx = self.message(&one.call, header.gas_limit);
            stage.evm.ctx.block.basefee = if tx.gas_price == 0 { 0 } else { base_fee };
            let trace = stage.watch(tx, Subject::default(), &one.options, true)?;
            traces.push(&trace.map_err(TraceFailure::Failed)?)?;
        }
        Ok(traces.finish())
    }

    /// Runs a signed transaction as the next one after the plan's block.
    pub(super) fn raw<D: DatabaseRef<Error = ReadError>>(
        &self,
        planned: &Planned,
        source: D,
        verdicts: Arc<VerdictMemory>,
    ) -> Result<String, TraceFailure> {
        let block = block_env(&self.header()?);
        let unreadable = |_| StateError::Corrupt("the transaction is unreadable".to_owned());
        let decoded = decode(planned.raw.clone()).map_err(unreadable)?;
        let tx = tx_env(&decoded.envelope, planned.sender);
        let config = consensus_config(self.chain_id);
        let mut stage = Stage::new(CacheDB::new(source), config, block, verdicts);
        let subject = Subject {
            tx_hash: Some(planned.hash),
            ..Subject::default()
        };
        stage
            .watch(tx, subject, &self.options, false)?
            .map_err(TraceFailure::Failed)
    }

    fn message_config(&self) -> CfgEnv {
        let mut config = call_config(self.chain_id);
        config.disable_base_fee = true;
        config
    }

    fn message(&self, call: &Message, gas_limit: u64) -> TxEnv {
        let request = call.to_call();
        TxEnv {
            gas_limit: request.gas.unwrap_or(gas_limit).min(gas_limit),
            ..call_env(&request, self.chain_id)
        }
    }
}

fn apply_block(block: &mut BlockEnv, overrides: &BlockOverrides) {
    overrides.apply_to_env(block);
    if let Some(time) = overrides.time {
        block.timestamp = U256::from(time);
    }
    if let Some(gas_limit) = overrides.gas_limit {
        block.gas_limit = gas_limit;
    }
    if let Some(recipient) = overrides.fee_recipient {
        block.beneficiary = recipient;
    }
    if overrides.prev_randao.is_some() {
        block.prevrandao = overrides.prev_randao;
    }
    if let Some(base_fee) = overrides.base_fee_per_gas {
        block.basefee = base_fee;
    }
}

impl<D: DatabaseRef<Error = ReadError>> Overridable for Pile<D> {
    fn override_account(
        &mut self,
        address: Address,
        change: &AccountOverride,
    ) -> Result<(), ReadError> {
        let mut info = self.basic(address)?.unwrap_or_default();
        info.balance = change.balance.unwrap_or(info.balance);
        info.nonce = change.nonce.unwrap_or(info.nonce);
        if let Some(code) = change.code.clone() {
            let code = analysed(code);
            info.code_hash = code.hash_slow();
            info.code = Some(code);
        }
        self.insert_account_info(address, info);
        if let Some(all) = &change.state {
            let words = all.iter().map(|(key, value)| (*key, *value)).collect();
            self.replace_account_storage(address, words)?;
        }
        let single = change.state_diff.as_ref();
        for (key, value) in single.into_iter().flat_map(BTreeMap::iter) {
            self.insert_account_storage(address, *key, *value)?;
        }
        Ok(())
    }
}

impl From<ReadError> for ChainError {
    fn from(error: ReadError) -> Self {
        error.0.into()
    }
}
