//! Tracing: a block's transactions, or a message, run again on the state they met, with an inspector looking on. Owns
//! which state, which transactions and which tracer; the results are JSON text in geth's and Parity's shapes.

mod call;
mod call_frames;
mod counts;
mod entries;
mod hooks;
mod kind;
mod lines;
mod options;
mod plan;
mod prestate;
mod refunds;
mod remote;
mod replay;
mod request;
mod script;
mod source;
mod stage;
mod storage;
mod struct_log;
mod tracer;

pub use remote::run_tracer;
pub(crate) use request::NamedBlock;
pub use request::TraceRequest;
pub(crate) use storage::storage_before;

use crate::chain::Chain;
use crate::error::ChainError;
use crate::transaction::Refusal;
use alloy_primitives::B256;
use entries::Collected;
use kind::is_script;
use plan::{Aim, Plan};
use source::Source;

/// Why there is no trace.
#[derive(Debug)]
pub enum TraceFailure {
    /// A fault of the node.
    Chain(ChainError),
    /// No such block.
    UnknownBlock,
    /// No such transaction.
    UnknownTransaction,
    /// Block 0 has no transactions to run.
    Genesis,
    /// The transaction is not admissible, whatever the state.
    Refused(Refusal),
    /// The options are not usable.
    Options(String),
    /// The trace could not be made, in geth's words.
    Failed(String),
}

impl From<ChainError> for TraceFailure {
    fn from(error: ChainError) -> Self {
        Self::Chain(error)
    }
}

impl From<cairn_state::StateError> for TraceFailure {
    fn from(error: cairn_state::StateError) -> Self {
        Self::Chain(error.into())
    }
}

impl TraceFailure {
    /// The stable code and the text; `Err` for a fault of the node.
    pub fn describe(self) -> Result<(&'static str, String), ChainError> {
        Ok(match self {
            Self::Chain(error) => return Err(error),
            Self::UnknownBlock => ("unknown-block", String::new()),
            Self::UnknownTransaction => ("unknown-transaction", String::new()),
            Self::Genesis => ("genesis", String::new()),
            Self::Refused(refusal) => ("refused", refusal.to_string()),
            Self::Options(text) => ("options", text),
            Self::Failed(text) => ("failed", text),
        })
    }
}

/// What a request leads to.
pub enum TraceAnswer {
    /// JSON text.
    Done(String),
    /// A script is to be run: the JSON text of a plan for a process of its own.
    Script {
        /// For [`run_tracer`].
        plan: String,
        /// The state asked for is that after this block.
        base: u64,
        /// One transaction may take so many milliseconds.
        timeout_ms: u64,
        /// Of a block: the hashes of its transactions, in order.
        block: Option<Vec<B256>>,
    },
}

impl Chain {
    /// Runs what the request names again, or plans it when a script looks on.
    pub fn trace(&self, request: TraceRequest) -> Result<TraceAnswer, TraceFailure> {
        let plan = Plan::of(self, request)?;
        if plan.options.tracer.as_deref().is_some_and(is_script) {
            let (base, timeout) = (plan.base, plan.options.timeout());
            let failed = |error: serde_json::Error| TraceFailure::Options(error.to_string());
            let hashes = || plan.transactions.iter().map(|tx| tx.hash).collect();
            return Ok(TraceAnswer::Script {
                block: matches!(plan.aim, Aim::Block).then(hashes),
                plan: serde_json::to_string(&plan).map_err(failed)?,
                base,
                timeout_ms: timeout.as_millis() as u64,
            });
        }
        let source = Source::at(self, plan.base)?;
        let mut entries = Collected::default();
        let single = plan.run(source, self.verdicts.clone(), 0, &mut entries)?;
        Ok(TraceAnswer::Done(
            single.unwrap_or_else(|| entries.finish()),
        ))
    }
}
