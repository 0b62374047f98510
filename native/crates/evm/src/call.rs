//! `eth_call`: a message on the state after a block, in that block's environment, without any lasting effect.

use crate::chain::Chain;
use crate::deadline::{DEADLINE_PASSED, go_duration};
use crate::error::ChainError;
use crate::execution::evm_failure;
use crate::last_step::LastStep;
use crate::machine::Watched;
use crate::overlay::ReadError;
use crate::overrides::{BlockOverrides, StateOverrides};
use crate::read::BlockRef;
use crate::scene::{CallLimits, Prepared, Scene};
use crate::small_run::{Steps, may_be_small};
use crate::texts::{Fees, halt_text, refusal_text};
use alloy_eips::eip2930::AccessList;
use alloy_eips::eip7702::SignedAuthorization;
use alloy_primitives::{Address, Bytes, TxKind, U256};
use revm::context::TxEnv;
use revm::context::result::{EVMError, ExecutionResult, HaltReason, InvalidTransaction};
use revm::context_interface::either::Either;
use revm::{ExecuteEvm as _, InspectEvm as _};

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
    /// EIP-7702 authorizations; absent for a message that carries none.
    pub authorizations: Option<Vec<SignedAuthorization>>,
    /// On which state.
    pub block: BlockRef,
    /// Accounts it sees differently.
    pub overrides: StateOverrides,
    /// Header fields it sees differently.
    pub block_overrides: BlockOverrides,
    /// What the operator allows.
    pub limits: CallLimits,
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
    /// Given up, in geth's words.
    TimedOut(String),
}

/// A message bound to a state and a block, to be run at one or several gas limits.
pub(crate) struct Caller {
    machine: Watched<Steps>,
    tx: TxEnv,
    base_fee: u64,
    limits: CallLimits,
    timed_out: bool,
}

impl Caller {
    /// The state read through one cache for all runs.
    pub(crate) fn new(
        mut scene: Scene,
        chain_id: u64,
        request: &CallRequest,
        steps: Steps,
    ) -> Self {
        scene.precompiles = scene.precompiles.only_small(steps.is_small());
        let tx = call_env(request, chain_id);
        let machine = scene.machine(chain_id, tx.gas_price != 0, steps);
        let base_fee = machine.ctx.block.basefee;
        let limits = request.limits;
        Self {
            machine,
            tx,
            base_fee,
            limits,
            timed_out: false,
        }
    }

    /// Runs once with this gas limit; changes nothing.
    pub(crate) fn run(&mut self, gas: u64) -> Result<Run, ChainError> {
        let tx = TxEnv {
            gas_limit: gas,
            ..self.tx.clone()
        };
        if let Some(refused) = creation_with_authorizations(&tx) {
            return Ok(Run::Refused(refused));
        }
        let done = if self.machine.inspector.is_small() {
            self.machine.inspect_tx(tx)
        } else {
            self.machine.transact(tx)
        };
        let run = run_of(done.map(|done| done.result), self.limits)?;
        self.timed_out |= matches!(run, Run::TimedOut(_));
        Ok(run)
    }

    /// Whether a small run was given up: what it came to means nothing.
    pub(crate) fn is_given_up(&self) -> bool {
        self.timed_out && self.machine.inspector.is_small()
    }

    /// geth's text for a halt of a run with this gas limit.
    pub(crate) fn halt(&mut self, reason: &HaltReason, gas: u64) -> String {
        if !LastStep::explains(reason) {
            return halt_text(reason);
        }
        let tx = TxEnv {
            gas_limit: gas,
            ..self.tx.clone()
        };
        match self.machine.inspect_tx(tx) {
            Ok(_) => self.machine.inspector.last.text(reason),
            Err(_) => halt_text(reason),
        }
    }

    /// geth's text for a message that could not start.
    pub(crate) fn refusal(&self, error: &InvalidTransaction) -> String {
        refusal_of(error, &self.tx, self.base_fee)
    }
}

/// Authorizations stand in transactions that have a receiver (EIP-7702); the EVM takes a message without one too.
pub(crate) fn creation_with_authorizations(tx: &TxEnv) -> Option<InvalidTransaction> {
    let creates = tx.tx_type == 4 && tx.kind == TxKind::Create;
    creates.then_some(InvalidTransaction::AuthorizationListInvalidFields)
}

/// geth's text for a message that could not start.
pub(crate) fn refusal_of(error: &InvalidTransaction, tx: &TxEnv, base: u64) -> String {
    let fees = Fees {
        cap: tx.gas_price,
        tip: tx.gas_priority_fee.unwrap_or_default(),
        base,
        data: tx.data.len(),
    };
    refusal_text(error, tx.caller, fees)
}

/// Sorts what the EVM answered.
pub(crate) fn run_of(
    outcome: Result<ExecutionResult, EVMError<ReadError>>,
    limits: CallLimits,
) -> Result<Run, ChainError> {
    match outcome {
        Ok(result) => Ok(Run::Done(result)),
        Err(EVMError::Transaction(error)) => Ok(Run::Refused(error)),
        Err(EVMError::Custom(text)) if text == DEADLINE_PASSED => Ok(Run::TimedOut(format!(
            "execution aborted (timeout = {})",
            go_duration(limits.timeout)
        ))),
        Err(error) => Err(evm_failure(error)),
    }
}

/// The EVM's form of a message, without its gas limit.
pub(crate) fn call_env(request: &CallRequest, chain_id: u64) -> TxEnv {
    let dynamic = request.max_fee_per_gas.is_some() || request.max_priority_fee_per_gas.is_some();
    let tip = if dynamic {
        request.max_priority_fee_per_gas
    } else {
        request.gas_price
    };
    let tx_type = match (&request.authorizations, dynamic) {
        (Some(_), _) => 4,
        (None, true) => 2,
        (None, false) => u8::from(!request.access_list.0.is_empty()),
    };
    let authorizations = request.authorizations.as_deref().unwrap_or_default();
    TxEnv {
        tx_type,
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
        gas_priority_fee: (tx_type == 2 || tx_type == 4).then(|| tip.unwrap_or_default()),
        blob_hashes: Vec::new(),
        max_fee_per_blob_gas: 0,
        authorization_list: authorizations.iter().cloned().map(Either::Left).collect(),
    }
}

impl Chain {
    /// The scene a message asks for.
    pub(crate) fn scene_of(&self, request: &CallRequest) -> Result<Prepared, ChainError> {
        self.scene(
            request.block,
            &request.overrides,
            &request.block_overrides,
            request.limits,
        )
    }

    /// Runs a message. The gas limit is capped.
    pub fn call(&self, request: &CallRequest) -> Result<CallOutcome, ChainError> {
        let outcome = self.call_watched(request, Steps::default())?;
        outcome.ok_or(ChainError::Closed)
    }

    /// [`Self::call`] of a message that takes about 50 µs at most; `None` when it is not known to.
    pub fn call_small(&self, request: &CallRequest) -> Result<Option<CallOutcome>, ChainError> {
        if !may_be_small(request) {
            return Ok(None);
        }
        self.call_watched(request, Steps::small())
    }

    /// `None` when a small run was given up.
    fn call_watched(
        &self,
        request: &CallRequest,
        steps: Steps,
    ) -> Result<Option<CallOutcome>, ChainError> {
        let scene = match self.scene_of(request)? {
            Prepared::Ready(scene) => *scene,
            Prepared::Refused(reason) => return Ok(Some(CallOutcome::Refused { reason })),
            Prepared::UnknownBlock => return Ok(Some(CallOutcome::UnknownBlock)),
        };
        let gas = request.gas.unwrap_or(scene.gas_cap).min(scene.gas_cap);
        let mut caller = Caller::new(scene, self.spec.chain_id, request, steps);
        let outcome = match caller.run(gas)? {
            Run::Done(result) => outcome(result, |reason| caller.halt(reason, gas)),
            Run::TimedOut(reason) => CallOutcome::Refused { reason },
            Run::Refused(error) => CallOutcome::Refused {
                reason: format!("err: {} (supplied gas {gas})", caller.refusal(&error)),
            },
        };
        Ok((!caller.is_given_up()).then_some(outcome))
    }
}

fn outcome(result: ExecutionResult, halt_text: impl FnOnce(&HaltReason) -> String) -> CallOutcome {
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
        ExecutionResult::Halt { reason, .. } => CallOutcome::Halted {
            reason: halt_text(&reason),
            gas_used,
        },
    }
}
