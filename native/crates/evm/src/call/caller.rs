//! Runs of one message at one or several gas limits.

use super::request::{CallRequest, call_env, creation_with_authorizations};
use crate::deadline::{DEADLINE_PASSED, go_duration};
use crate::error::ChainError;
use crate::execution::evm_failure;
use crate::last_step::LastStep;
use crate::machine::Watched;
use crate::overlay::ReadError;
use crate::scene::{CallLimits, Scene};
use crate::small_run::{Stepped, Steps};
use crate::texts::{Fees, halt_text, refusal_text};
use revm::context::TxEnv;
use revm::context::result::{EVMError, ExecutionResult, HaltReason, InvalidTransaction};
use revm::{ExecuteEvm as _, InspectEvm as _};

/// What one run of a message came to.
pub(crate) enum Run {
    /// It ran.
    Done(ExecutionResult),
    /// It could not start.
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

    /// What all runs came to together.
    pub(crate) fn finish<T>(self, outcome: T) -> Stepped<T> {
        let given_up = self.timed_out && self.machine.inspector.is_small();
        Stepped { outcome, given_up }
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
