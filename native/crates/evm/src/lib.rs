//! Block execution of the chain: admission, proposals, execution, calls and the JSON text of every read. Owns revm and
//! every rule about transactions, headers and receipts; storage and tries are `cairn-state`'s, proofs `cairn-zk`'s.
//! revm's types do not leave this crate.

#![warn(unreachable_pub)]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)
)]

mod access_list;
mod admission;
mod bounded;
mod call;
mod call_many;
mod candidate;
mod chain;
mod deadline;
mod error;
mod estimate;
mod execution;
mod explore;
mod genesis;
mod header;
mod json;
mod last_step;
mod machine;
mod overlay;
mod overrides;
mod pending;
mod precompiles;
mod read;
mod receipts;
mod scene;
mod simulate;
mod small_run;
mod spec;
mod texts;
mod trace;
mod transaction;

pub use access_list::AccessListOutcome;
pub use admission::Admission;
pub use call::{CallOutcome, CallRequest};
pub use call_many::{Bundle, CallManyOutcome, CallManyRequest};
pub use candidate::{Inputs, Sealed};
pub use chain::{Chain, Committed, Head, OpenOptions};
pub use error::ChainError;
pub use estimate::EstimateOutcome;
pub use execution::{Executed, Included, Ready, Skipped};
pub use explore::{ExploreFailure, ExploreRequest};
pub use json::{JsonWriter, LogsOutcome, committed_logs_json, executed_logs_json, header_json};
pub use overrides::{AccountOverride, BlockOverrides, StateOverrides};
pub use read::{AccountState, BlockRef};
pub use scene::CallLimits;
pub use simulate::{SimulateBlock, SimulateOutcome, SimulateRequest};
pub use spec::ChainSpec;
pub use trace::{TraceAnswer, TraceFailure, TraceRequest, run_tracer};
pub use transaction::{Refusal, RefusalCode};
