//! Why a simulation ends early.

use crate::error::ChainError;
use alloy_primitives::Address;

/// An error to answer, or a fault of the node.
pub(super) enum Stop {
    /// JSON-RPC code and text, as geth's.
    Failed(i64, String),
    Broken(ChainError),
}

impl From<ChainError> for Stop {
    fn from(error: ChainError) -> Self {
        Self::Broken(error)
    }
}

/// An error to answer.
pub(super) fn fail<T>(code: i64, message: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Failed(code, message.into()))
}

/// Nonces are looked at before fees, as in geth.
pub(super) fn fail_nonce<T>(from: Address, nonce: u64, current: u64, gas: u64) -> Result<T, Stop> {
    let (code, word) = if nonce < current {
        (-38010, "low")
    } else {
        (-38011, "high")
    };
    fail(
        code,
        format!(
            "err: nonce too {word}: address {from}, tx: {nonce} state: {current} (supplied gas {gas})"
        ),
    )
}
