//! `debug_traceCall`: a message on a block's state, with overrides, watched.

use super::TraceFailure;
use super::plan::Plan;
use super::replay::Replay;
use super::request::{CallTrace, Message};
use super::stage::{Pile, Stage};
use super::tracer::Subject;
use crate::header::block_env;
use crate::machine::call_config;
use crate::overlay::ReadError;
use crate::precompiles::VerdictMemory;
use alloy_primitives::{B256, TxKind, U256};
use alloy_rpc_types_eth::BlockOverrides;
use alloy_rpc_types_eth::state::StateOverride;
use revm::bytecode::Bytecode;
use revm::context::{BlockEnv, TxEnv};
use revm::database::CacheDB;
use revm::{Database as _, DatabaseRef};
use std::sync::Arc;

impl Plan {
    /// Runs a message on the plan's block, or within it.
    pub(super) fn call<D: DatabaseRef<Error = ReadError>>(
        &self,
        request: CallTrace,
        source: D,
        verdicts: Arc<VerdictMemory>,
    ) -> Result<String, TraceFailure> {
        let header = self.header()?;
        let mut state = match request.tx_index {
            Some(index) => {
                let mut replay = Replay::open(self, source, verdicts.clone())?;
                replay.advance(index)?;
                replay.into_state()
            }
            None => CacheDB::new(source),
        };
        if let Some(overrides) = request.state_overrides {
            apply_state(&mut state, overrides)?;
        }
        let mut block = block_env(&header);
        if let Some(overrides) = request.block_overrides {
            apply_block(&mut block, &mut state, overrides);
        }
        let tx = message(&request.call, header.gas_limit, self.chain_id);
        if tx.gas_price == 0 {
            block.basefee = 0;
        }
        let mut config = call_config(self.chain_id);
        config.disable_base_fee = true;
        let mut stage = Stage::new(state, config, block, verdicts);
        stage
            .watch(tx, Subject::default(), &self.options, false)?
            .map_err(TraceFailure::Failed)
    }
}

fn message(call: &Message, gas_limit: u64, chain_id: u64) -> TxEnv {
    let dynamic = call.max_fee_per_gas.is_some() || call.max_priority_fee_per_gas.is_some();
    let tip: u128 = call
        .max_priority_fee_per_gas
        .unwrap_or_default()
        .saturating_to();
    let price = if dynamic {
        call.max_fee_per_gas
    } else {
        call.gas_price
    };
    let has_list = !call.access_list.0.is_empty();
    let gas: u64 = call.gas.map_or(gas_limit, |gas| gas.saturating_to());
    TxEnv {
        tx_type: if dynamic { 2 } else { u8::from(has_list) },
        caller: call.from.unwrap_or_default(),
        gas_limit: gas.min(gas_limit),
        gas_price: price.unwrap_or_default().saturating_to(),
        kind: call.to.map_or(TxKind::Create, TxKind::Call),
        value: call.value.unwrap_or_default(),
        data: call.data.clone().unwrap_or_default(),
        nonce: call.nonce.unwrap_or_default().saturating_to(),
        chain_id: Some(chain_id),
        access_list: call.access_list.clone(),
        gas_priority_fee: dynamic.then_some(tip),
        blob_hashes: Vec::new(),
        max_fee_per_blob_gas: 0,
        authorization_list: Vec::new(),
    }
}

fn apply_state<D: DatabaseRef<Error = ReadError>>(
    state: &mut Pile<D>,
    overrides: StateOverride,
) -> Result<(), TraceFailure> {
    for (address, change) in overrides {
        if change.state.is_some() && change.state_diff.is_some() {
            return Err(TraceFailure::Failed(format!(
                "account {address} has both 'state' and 'stateDiff'"
            )));
        }
        let mut info = state.basic(address)?.unwrap_or_default();
        if let Some(balance) = change.balance {
            info.balance = balance;
        }
        if let Some(nonce) = change.nonce {
            info.nonce = nonce;
        }
        if let Some(code) = change.code {
            let code = Bytecode::new_raw_checked(code.clone())
                .unwrap_or_else(|_| Bytecode::new_legacy(code));
            info.code_hash = code.hash_slow();
            info.code = Some(code);
        }
        state.insert_account_info(address, info);
        let words = |map: alloy_primitives::map::B256HashMap<B256>| -> Vec<(U256, U256)> {
            map.into_iter()
                .map(|(key, value)| (key.into(), value.into()))
                .collect()
        };
        if let Some(all) = change.state {
            state.replace_account_storage(address, words(all).into_iter().collect())?;
        }
        for (key, value) in change.state_diff.map(words).unwrap_or_default() {
            state.insert_account_storage(address, key, value)?;
        }
    }
    Ok(())
}

fn apply_block<D>(block: &mut BlockEnv, state: &mut Pile<D>, overrides: BlockOverrides) {
    if let Some(number) = overrides.number {
        block.number = number;
    }
    if let Some(time) = overrides.time {
        block.timestamp = U256::from(time);
    }
    if let Some(gas_limit) = overrides.gas_limit {
        block.gas_limit = gas_limit;
    }
    if let Some(coinbase) = overrides.coinbase {
        block.beneficiary = coinbase;
    }
    if let Some(random) = overrides.random {
        block.prevrandao = Some(random);
    }
    if let Some(base_fee) = overrides.base_fee {
        block.basefee = base_fee.saturating_to();
    }
    for (number, hash) in overrides.block_hash.unwrap_or_default() {
        state.cache.block_hashes.insert(U256::from(number), hash);
    }
}
