//! What can go wrong in this crate beyond expected outcomes: disk, corruption, a genesis that does not fit, misuse.

use cairn_state::StateError;

/// A surprise of the execution core. Expected outcomes (a refused transaction, a reverted call) are values.
#[derive(Debug, thiserror::Error)]
pub enum ChainError {
    /// The genesis text cannot be used.
    #[error("{0}")]
    InvalidGenesis(String),
    /// The directory holds a chain with another block 0.
    #[error("the database belongs to another genesis")]
    GenesisMismatch,
    /// The store failed.
    #[error(transparent)]
    State(#[from] StateError),
    /// A call that the current head does not allow: another height, nothing to commit.
    #[error("{0}")]
    Sequence(String),
    /// The chain was closed.
    #[error("the chain is closed")]
    Closed,
}

impl ChainError {
    /// The stable code, as `NativeErrorCode` spells it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidGenesis(_) => "invalid-genesis",
            Self::GenesisMismatch => "genesis-mismatch",
            Self::State(error) => state_code(error),
            Self::Sequence(_) => "state",
            Self::Closed => "closed",
        }
    }
}

fn state_code(error: &StateError) -> &'static str {
    match error {
        StateError::Locked => "locked",
        StateError::Io(_) | StateError::Poisoned => "io",
        StateError::Corrupt(_) | StateError::Format { .. } => "corrupt",
        _ => "state",
    }
}
