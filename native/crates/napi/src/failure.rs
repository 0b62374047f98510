//! Errors as they cross: `code: detail` in the message, which the facade turns into a `NativeError`.

use cairn_evm::ChainError;
use napi::{Error, Status};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What went wrong, with its stable code.
#[derive(Debug)]
pub struct Failure {
    code: &'static str,
    detail: String,
}

impl Failure {
    /// A request that the facade should not have made.
    pub fn request(detail: impl Into<String>) -> Self {
        Self {
            code: "state",
            detail: detail.into(),
        }
    }
}

impl From<ChainError> for Failure {
    fn from(error: ChainError) -> Self {
        Self {
            code: error.code(),
            detail: error.to_string(),
        }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Self::new(
            Status::GenericFailure,
            format!("{}: {}", failure.code, failure.detail),
        )
    }
}

/// Runs `work`; a panic becomes an error instead of reaching Node.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(outcome) => outcome,
        Err(_) => Err(Failure::request("the native core met an internal fault")),
    }
}
