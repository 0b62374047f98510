//! The `VerifyProofs` precompile (address `0x…c000`).

/// The input cannot be split into keys and slots; the call reverts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("VerifyProofs input: {reason} at byte {offset}")]
pub struct FramingError {
    /// What was expected there.
    pub reason: &'static str,
    /// Offset into the input.
    pub offset: usize,
}

/// Gas of a call with this input: from the framing only, saturating, without verifying anything.
#[must_use]
pub fn gas(input: &[u8]) -> u64 {
    60_000u64.saturating_add((input.len() as u64).saturating_mul(16))
}

/// Verifies the batch.
///
/// # Errors
/// A fault of the framing; faults inside a slot only exclude that slot.
pub fn run(_input: &[u8]) -> Result<Vec<u8>, FramingError> {
    Err(FramingError { reason: "version 1", offset: 0 })
}
