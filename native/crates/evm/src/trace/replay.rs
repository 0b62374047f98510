//! A committed block run again: the system calls, the transactions before, then the traced ones.

use super::TraceFailure;
use super::options::TraceOptions;
use super::source::Source;
use super::stage::Stage;
use super::tracer::Subject;
use crate::chain::Chain;
use crate::error::ChainError;
use crate::execution::{system_calls, tx_env};
use crate::header::block_env;
use crate::json::JsonWriter;
use crate::machine::consensus_config;
use crate::transaction::decode;
use cairn_state::{StateError, StoredHeader, StoredTx};
use revm::context::TxEnv;
use revm::database::CacheDB;

/// A block's trace is given up when its text grows beyond this.
const MOST_BLOCK_BYTES: usize = 256 << 20;

/// A block on the state of its parent, after the system calls.
pub struct Replay {
    stage: Stage<Source>,
    stored: StoredHeader,
    transactions: Vec<StoredTx>,
}

impl Replay {
    /// Prepares block `number`, which must exist.
    pub fn open(chain: &Chain, number: u64) -> Result<Self, TraceFailure> {
        let stored = chain
            .store
            .header(number)?
            .ok_or(TraceFailure::UnknownBlock)?;
        let parent = number.checked_sub(1).ok_or(TraceFailure::Genesis)?;
        let transactions = chain.store.transactions(number)?.unwrap_or_default();
        let mut stage = Stage::new(
            CacheDB::new(Source::at(chain, parent)?),
            consensus_config(chain.spec.chain_id),
            block_env(&stored.header),
            chain.verdicts.clone(),
        );
        system_calls(&mut stage.evm, &stored.header)?;
        Ok(Self {
            stage,
            stored,
            transactions,
        })
    }

    fn message(&self, index: usize) -> Result<TxEnv, ChainError> {
        let missing = || StateError::Corrupt(format!("no transaction {index}"));
        let tx = self.transactions.get(index).ok_or_else(missing)?;
        let unreadable = |_| StateError::Corrupt(format!("transaction {index} is unreadable"));
        let decoded = decode(tx.raw.clone()).map_err(unreadable)?;
        Ok(tx_env(&decoded.envelope, tx.sender))
    }

    fn subject(&self, index: usize) -> Subject {
        Subject {
            block_hash: Some(self.stored.hash),
            tx_hash: self.transactions.get(index).map(|tx| tx.hash),
            index: Some(index),
        }
    }

    /// Runs the transactions before `index`, unwatched.
    pub fn advance(&mut self, index: usize) -> Result<(), ChainError> {
        for earlier in 0..index.min(self.transactions.len()) {
            let message = self.message(earlier)?;
            self.stage.pass(message)?;
        }
        Ok(())
    }

    /// The state that is reached.
    pub fn into_stage(self) -> Stage<Source> {
        self.stage
    }

    /// The trace of one transaction.
    pub fn transaction(
        mut self,
        index: usize,
        options: &TraceOptions,
    ) -> Result<String, TraceFailure> {
        self.advance(index)?;
        let (message, subject) = (self.message(index)?, self.subject(index));
        self.stage
            .watch(message, subject, options, false)?
            .map_err(TraceFailure::Failed)
    }

    /// The traces of all transactions: entries `{txHash, result}` or `{txHash, error}`.
    pub fn block(mut self, options: &TraceOptions) -> Result<String, TraceFailure> {
        let mut json = JsonWriter::default();
        json.open_array();
        for index in 0..self.transactions.len() {
            let (message, subject) = (self.message(index)?, self.subject(index));
            let trace = self.stage.watch(message, subject, options, true)?;
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
            if json.len() > MOST_BLOCK_BYTES {
                return Err(TraceFailure::Failed(super::tracer::TOO_LARGE.to_owned()));
            }
        }
        json.close_array();
        Ok(json.finish())
    }
}
