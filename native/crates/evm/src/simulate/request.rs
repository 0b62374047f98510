//! A simulation as it is asked for, and what it came to.

use crate::call::CallRequest;
use crate::overrides::{BlockOverrides, StateOverrides};
use crate::read::BlockRef;
use crate::scene::CallLimits;

/// One block to simulate.
#[derive(Debug, Clone, Default)]
pub struct SimulateBlock {
    /// Accounts changed before its calls.
    pub overrides: StateOverrides,
    /// Its header fields.
    pub block_overrides: BlockOverrides,
    /// Its calls, in order; their block, overrides and limits are not looked at.
    pub calls: Vec<CallRequest>,
}

/// A simulation.
#[derive(Debug, Clone)]
pub struct SimulateRequest {
    /// Blocks in order.
    pub blocks: Vec<SimulateBlock>,
    /// Whether transfers of the native coin appear as logs.
    pub trace_transfers: bool,
    /// Whether nonces, fees and base fee are checked as for transactions.
    pub validation: bool,
    /// Whether blocks carry whole transactions.
    pub full_transactions: bool,
    /// On which state.
    pub block: BlockRef,
    /// What the operator allows; the gas is that of all calls together.
    pub limits: CallLimits,
}

/// What a simulation came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SimulateOutcome {
    /// JSON text of the array of blocks.
    Done(String),
    /// The error to answer: code and text as geth's.
    Failed {
        /// JSON-RPC code.
        code: i64,
        /// Text.
        message: String,
    },
    /// No such block.
    UnknownBlock,
}
