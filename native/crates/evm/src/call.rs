//! `eth_call`: a message on the state after a block, in that block's environment, without any lasting effect.

use crate::chain::Chain;
use crate::error::ChainError;
use crate::execution::evm_failure;
use crate::header::block_env;
use crate::machine::{Machine, call_config, machine};
use crate::read::BlockRef;
use crate::texts::{Fees, halt_text, refusal_text};
use alloy_consensus::Header;
use alloy_eips::eip2930::AccessList;
use alloy_primitives::{Address, Bytes, TxKind, U256};
use revm::ExecuteEvm as _;
use revm::context::TxEnv;
use revm::context::result::{EVMError, ExecutionResult, HaltReason, InvalidTransaction};

/// A message to run.
#[derive(Debug, Clone)]
pub struct CallRequest {
    /// Sender; the zero address when absent.
    pub from: Option<Address>,
    /// Absent: contract creation.
    pub to: Option<Address>,
    /// Gas limit; the cap when absent.
    pub gas: Option<u64>,
    /// Price per gas in wei.
    pub gas_price: Option<u128>,
    /// Fee cap in wei.
    pub max_fee_per_gas: Option<u128>,
    /// Priority fee in wei.
    pub max_priority_fee_per_gas: Option<u128>,
    /// Wei to send.
    pub value: U256,
    /// Nonce; only shown to the message, never checked.
    pub nonce: Option<u64>,
    /// Calldata or init code.
    pub data: Bytes,
    /// EIP-2930 access list.
    pub access_list: AccessList,
    /// On which state.
    pub block: BlockRef,
}

/// What a call came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallOutcome {
    /// It returned.
    Returned {
        /// Return data.
        data: Bytes,
        /// Gas used.
        gas_used: u64,
    },
    /// It reverted.
    Reverted {
        /// Revert payload.
        data: Bytes,
        /// Gas used.
        gas_used: u64,
    },
    /// It stopped for another reason, in geth's words.
    Halted {
        /// geth's text.
        reason: String,
        /// Gas used.
        gas_used: u64,
    },
    /// It could not start, in geth's words.
    Refused {
        /// geth's text.
        reason: String,
    },
    /// No such block.
    UnknownBlock,
}

/// One run of a message.
pub(crate) enum Run {
    Done(ExecutionResult),
    Refused(InvalidTransaction),
}

/// A message bound to a state and a block, to be run at one or several gas limits.
pub(crate) struct Caller {
    machine: Machine,
    tx: TxEnv,
    base_fee: u64,
}

impl Caller {
    /// The state read through one cache for all runs.
    pub(crate) fn new(
        chain: &Chain,
        request: &CallRequest,
        header: &Header,
    ) -> Result<Self, ChainError> {
        let state = chain.overlay(chain.state_at(header.number)?);
        let mut block = block_env(header);
        let tx = call_env(request, chain.spec.chain_id);
        if tx.gas_price == 0 {
            block.basefee = 0;
        }
        let base_fee = block.basefee;
        let machine = machine(
            state,
            call_config(chain.spec.chain_id),
            block,
            chain.verdicts.clone(),
        );
        Ok(Self {
            machine,
            tx,
            base_fee,
        })
    }

    /// Runs once with this gas limit; changes nothing.
    pub(crate) fn run(&mut self, gas: u64) -> Result<Run, ChainError> {
        let tx = TxEnv {
            gas_limit: gas,
            ..self.tx.clone()
        };
        match self.machine.transact(tx) {
            Ok(done) => Ok(Run::Done(done.result)),
            Err(EVMError::Transaction(error)) => Ok(Run::Refused(error)),
            Err(error) => Err(evm_failure(error)),
        }
    }

    /// geth's text for a message that could not start with `gas`.
    pub(crate) fn refusal(&self, error: &InvalidTransaction, gas: u64) -> String {
        let fees = Fees {
            cap: self.tx.gas_price,
            tip: self.tx.gas_priority_fee.unwrap_or_default(),
            base: self.base_fee,
        };
        format!(
            "err: {} (supplied gas {gas})",
            refusal_text(error, self.tx.caller, fees)
        )
    }
}

fn call_env(request: &CallRequest, chain_id: u64) -> TxEnv {
    let dynamic = request.max_fee_per_gas.is_some() || request.max_priority_fee_per_gas.is_some();
    let tip = request.max_priority_fee_per_gas.unwrap_or_default();
    let has_list = !request.access_list.0.is_empty();
    TxEnv {
        tx_type: if dynamic { 2 } else { u8::from(has_list) },
        caller: request.from.unwrap_or_default(),
        gas_limit: 0,
        gas_price: if dynamic {
            request.max_fee_per_gas
        } else {
            request.gas_price
        }
        .unwrap_or_default(),
        kind: request.to.map_or(TxKind::Create, TxKind::Call),
        value: request.value,
        data: request.data.clone(),
        nonce: request.nonce.unwrap_or_default(),
        chain_id: Some(chain_id),
        access_list: request.access_list.clone(),
        gas_priority_fee: dynamic.then_some(tip),
        blob_hashes: Vec::new(),
        max_fee_per_blob_gas: 0,
        authorization_list: Vec::new(),
    }
}

impl Chain {
    /// Runs a message. The gas limit is capped at the block gas limit.
    pub fn call(&self, request: &CallRequest) -> Result<CallOutcome, ChainError> {
        let Some(header) = self.header_of(request.block)? else {
            return Ok(CallOutcome::UnknownBlock);
        };
        let mut caller = Caller::new(self, request, &header)?;
        let gas = request
            .gas
            .unwrap_or(header.gas_limit)
            .min(header.gas_limit);
        Ok(match caller.run(gas)? {
            Run::Done(result) => outcome(result),
            Run::Refused(error) => CallOutcome::Refused {
                reason: caller.refusal(&error, gas),
            },
        })
    }
}

fn outcome(result: ExecutionResult) -> CallOutcome {
    let gas_used = result.tx_gas_used();
    match result {
        ExecutionResult::Success { output, .. } => CallOutcome::Returned {
            data: output.into_data(),
            gas_used,
        },
        ExecutionResult::Revert { output, .. } => CallOutcome::Reverted {
            data: output,
            gas_used,
        },
        ExecutionResult::Halt { reason, .. } => halted(&reason, gas_used),
    }
}

fn halted(reason: &HaltReason, gas_used: u64) -> CallOutcome {
    CallOutcome::Halted {
        reason: halt_text(reason),
        gas_used,
    }
}
