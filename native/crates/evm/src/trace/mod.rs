//! Tracing: a block's transactions, or a message, run again on the state they met, with an inspector looking on. Owns
//! which state, which transactions and which tracer; the results are JSON text in geth's and Parity's shapes.

mod call;
mod call_frames;
mod kind;
mod options;
mod prestate;
mod replay;
mod request;
mod source;
mod stage;
mod struct_log;
mod tracer;

pub use request::TraceRequest;

use crate::chain::Chain;
use crate::error::ChainError;
use replay::Replay;

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
            Self::Options(text) => ("options", text),
            Self::Failed(text) => ("failed", text),
        })
    }
}

impl Chain {
    /// Runs what the request names again and answers the JSON text of its trace.
    pub fn trace(&self, request: TraceRequest) -> Result<String, TraceFailure> {
        match request {
            TraceRequest::Transaction { hash, options } => {
                let location = self
                    .store
                    .locate(&hash)?
                    .ok_or(TraceFailure::UnknownTransaction)?;
                Replay::open(self, location.block)?.transaction(location.index as usize, &options)
            }
            TraceRequest::Block { block, options } => {
                let number = self.resolve(block.0)?.ok_or(TraceFailure::UnknownBlock)?;
                Replay::open(self, number)?.block(&options)
            }
            TraceRequest::Call(request) => self.trace_call(*request),
        }
    }
}
