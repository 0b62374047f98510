//! `eth_call`: a message on the state after a block, in that block's environment, without any lasting effect.

mod caller;
mod request;

pub(crate) use caller::{Caller, Run, refusal_of, run_of};
pub use request::CallRequest;
pub(crate) use request::{call_env, creation_with_authorizations};

use crate::chain::Chain;
use crate::error::ChainError;
use crate::scene::Prepared;
use crate::small_run::{Stepped, Steps, may_be_small};
use alloy_primitives::Bytes;
use revm::context::result::{ExecutionResult, HaltReason};

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
        Ok(self.call_stepped(request, Steps::default())?.outcome)
    }

    /// [`Self::call`] of a message that takes about 50 µs at most; `None` when it is not known to.
    pub fn call_small(&self, request: &CallRequest) -> Result<Option<CallOutcome>, ChainError> {
        if !may_be_small(request) {
            return Ok(None);
        }
        Ok(self
            .call_stepped(request, Steps::small())?
            .unless_given_up())
    }

    fn call_stepped(
        &self,
        request: &CallRequest,
        steps: Steps,
    ) -> Result<Stepped<CallOutcome>, ChainError> {
        let done = |outcome| Ok(Stepped::without_run(outcome));
        let scene = match self.scene_of(request)? {
            Prepared::Ready(scene) => *scene,
            Prepared::Refused(reason) => return done(CallOutcome::Refused { reason }),
            Prepared::UnknownBlock => return done(CallOutcome::UnknownBlock),
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
        Ok(caller.finish(outcome))
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
