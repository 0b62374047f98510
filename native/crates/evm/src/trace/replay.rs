//! A committed block run again: the system calls, the transactions before, then the traced ones.

use super::TraceFailure;
use super::entries::Entries;
use super::options::TraceOptions;
use super::plan::Plan;
use super::stage::Stage;
use super::tracer::Subject;
use crate::error::ChainError;
use crate::execution::{system_calls, tx_env};
use crate::header::block_env;
use crate::json::JsonWriter;
use crate::machine::consensus_config;
use crate::overlay::ReadError;
use crate::precompiles::VerdictMemory;
use crate::transaction::decode;
use cairn_state::StateError;
use revm::DatabaseRef;
use revm::context::TxEnv;
use revm::database::CacheDB;
use std::sync::Arc;

/// A block on the state of its parent, after the system calls.
pub(super) struct Replay<'a, D: DatabaseRef> {
    stage: Stage<D>,
    plan: &'a Plan,
}

impl<'a, D: DatabaseRef<Error = ReadError>> Replay<'a, D> {
    /// Prepares the plan's block.
    pub(super) fn open(
        plan: &'a Plan,
        source: D,
        verdicts: Arc<VerdictMemory>,
    ) -> Result<Self, TraceFailure> {
        let header = plan.header()?;
        let mut stage = Stage::new(
            CacheDB::new(source),
            consensus_config(plan.chain_id),
            block_env(&header),
            verdicts,
        );
        system_calls(&mut stage.evm, &header)?;
        Ok(Self { stage, plan })
    }

    fn message(&self, index: usize) -> Result<TxEnv, ChainError> {
        let missing = || StateError::Corrupt(format!("no transaction {index}"));
        let tx = self.plan.transactions.get(index).ok_or_else(missing)?;
        let unreadable = |_| StateError::Corrupt(format!("transaction {index} is unreadable"));
        let decoded = decode(tx.raw.clone()).map_err(unreadable)?;
        Ok(tx_env(&decoded.envelope, tx.sender))
    }

    fn subject(&self, index: usize) -> Subject {
        Subject {
            block_hash: Some(self.plan.hash),
            tx_hash: self.plan.transactions.get(index).map(|tx| tx.hash),
            index: Some(index),
        }
    }

    /// Runs the transactions before `index`, unwatched.
    pub(super) fn advance(&mut self, index: usize) -> Result<(), ChainError> {
        for earlier in 0..index.min(self.plan.transactions.len()) {
            let message = self.message(earlier)?;
            self.stage.pass(message)?;
        }
        Ok(())
    }

    /// The state that is reached.
    pub(super) fn into_state(self) -> CacheDB<D> {
        self.stage.evm.ctx.journaled_state.database
    }

    /// The trace of one transaction.
    pub(super) fn transaction(mut self, index: usize) -> Result<String, TraceFailure> {
        self.advance(index)?;
        let (message, subject) = (self.message(index)?, self.subject(index));
        self.stage
            .watch(message, subject, &self.plan.options, false)?
            .map_err(TraceFailure::Failed)
    }

    /// The traces of all transactions from `from` on: entries `{txHash, result}` or `{txHash, error}`.
    pub(super) fn block(
        mut self,
        from: usize,
        entries: &mut impl Entries,
    ) -> Result<(), TraceFailure> {
        self.advance(from)?;
        for index in from..self.plan.transactions.len() {
            entries.begin();
            let (message, subject) = (self.message(index)?, self.subject(index));
            let trace = self
                .stage
                .watch(message, subject, &self.plan.options, true)?;
            entries.push(&entry(subject, trace))?;
        }
        Ok(())
    }

    /// Traces the transactions that have a file into it.
    pub(super) fn files(mut self, files: &[String]) -> Result<(), TraceFailure> {
        let last = files.iter().rposition(|file| !file.is_empty());
        for (index, file) in files
            .iter()
            .enumerate()
            .take(last.map_or(0, |last| last + 1))
        {
            let (message, subject) = (self.message(index)?, self.subject(index));
            if file.is_empty() {
                self.stage.pass(message)?;
                continue;
            }
            let options = TraceOptions {
                file: Some(file.clone()),
                ..self.plan.options.clone()
            };
            self.stage
                .watch(message, subject, &options, true)?
                .map_err(TraceFailure::Failed)?;
        }
        Ok(())
    }
}

fn entry(subject: Subject, trace: Result<String, String>) -> String {
    let mut json = JsonWriter::with_capacity(trace.as_ref().map_or(0, String::len) + 128);
    json.open_object();
    if let Some(hash) = subject.tx_hash {
        json.bytes_field("txHash", hash.as_slice());
    }
    match trace {
        Ok(trace) => {
            json.key("result");
            json.raw(&trace);
        }
        Err(error) => {
            json.key("error");
            json.text(&error);
        }
    }
    json.close_object();
    json.finish()
}
