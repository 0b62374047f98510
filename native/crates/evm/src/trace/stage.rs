//! One EVM on which transactions are run, watched or not, one after the other.

use super::TraceFailure;
use super::options::TraceOptions;
use super::tracer::{Subject, Tracer};
use crate::error::ChainError;
use crate::execution::evm_failure;
use crate::machine::{MachineOver, machine};
use crate::overlay::ReadError;
use crate::precompiles::VerdictMemory;
use crate::texts::{Fees, refusal_text};
use revm::context::result::EVMError;
use revm::context::{BlockEnv, CfgEnv, TxEnv};
use revm::database::CacheDB;
use revm::{DatabaseCommit as _, DatabaseRef, ExecuteCommitEvm as _, InspectEvm as _};
use std::sync::Arc;

/// The state in front of a source.
pub(super) type Pile<D> = CacheDB<D>;

/// An EVM with changes of its own.
pub(super) struct Stage<D: DatabaseRef> {
    /// The EVM.
    pub evm: MachineOver<Pile<D>, Tracer>,
}

impl<D: DatabaseRef<Error = ReadError>> Stage<D> {
    /// Starts without changes.
    pub(super) fn new(
        state: Pile<D>,
        config: CfgEnv,
        block: BlockEnv,
        memory: Arc<VerdictMemory>,
    ) -> Self {
        Self {
            evm: machine(state, config, block, memory).with_inspector(Tracer::idle()),
        }
    }

    /// Runs a transaction unwatched and keeps its changes.
    pub(super) fn pass(&mut self, tx: TxEnv) -> Result<(), ChainError> {
        match self.evm.transact_commit(tx) {
            Ok(_) => Ok(()),
            Err(error) => Err(evm_failure(error)),
        }
    }

    /// Runs a transaction watched; `keep` its changes for the next one. The answer is the trace, or why there is none.
    pub(super) fn watch(
        &mut self,
        tx: TxEnv,
        subject: Subject,
        options: &TraceOptions,
        keep: bool,
    ) -> Result<Result<String, String>, TraceFailure> {
        let tracer = Tracer::new(options).map_err(TraceFailure::Options)?;
        let fees = Fees {
            cap: tx.gas_price,
            tip: tx.gas_priority_fee.unwrap_or_default(),
            base: self.evm.ctx.block.basefee,
            data: tx.data.len(),
        };
        let done = match self.evm.inspect(tx.clone(), tracer) {
            Ok(done) => done,
            Err(EVMError::Transaction(error)) => {
                let reason = refusal_text(&error, tx.caller, fees);
                return Ok(Err(format!("tracing failed: {reason}")));
            }
            Err(error) => return Err(evm_failure(error).into()),
        };
        let tracer = std::mem::replace(&mut self.evm.inspector, Tracer::idle());
        let block = self.evm.ctx.block.clone();
        let state = &mut self.evm.ctx.journaled_state.database;
        let stopped = tracer.is_stopped();
        let trace = tracer.finish(subject, &tx, &block, &done, state);
        if keep {
            if stopped {
                self.pass(tx)?;
            } else {
                state.commit(done.state);
            }
        }
        Ok(trace)
    }
}
