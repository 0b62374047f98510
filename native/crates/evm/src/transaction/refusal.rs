//! Why bytes are no admissible transaction: stable codes, and the numbers a message needs.

use std::fmt;

/// Why bytes are no admissible transaction, whatever the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalCode {
    /// No canonical EIP-2718 encoding.
    Undecodable,
    /// A type this chain does not run: 3 (no blobs) and everything unknown.
    UnsupportedType,
    /// Signed for another chain.
    WrongChainId,
    /// Not replay-protected (before EIP-155), where that is refused.
    Unprotected,
    /// High `s` (EIP-2), or no public key.
    InvalidSignature,
    /// Gas limit below the intrinsic gas.
    IntrinsicGas,
    /// Gas limit below the calldata floor (EIP-7623).
    FloorGas,
    /// Gas limit above the block's.
    GasAboveBlockLimit,
    /// Init code above 49,152 bytes (EIP-3860).
    InitcodeTooLarge,
    /// Priority fee above the fee cap.
    TipAboveFeeCap,
    /// More than 1 MiB.
    Oversized,
    /// Type 4 without authorizations (EIP-7702).
    EmptyAuthorizationList,
}

impl RefusalCode {
    /// The code as `AdmitCode` spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Undecodable => "undecodable",
            Self::UnsupportedType => "unsupported-type",
            Self::WrongChainId => "wrong-chain-id",
            Self::Unprotected => "unprotected",
            Self::InvalidSignature => "invalid-signature",
            Self::IntrinsicGas => "intrinsic-gas",
            Self::FloorGas => "floor-gas",
            Self::GasAboveBlockLimit => "gas-above-block-limit",
            Self::InitcodeTooLarge => "initcode-too-large",
            Self::TipAboveFeeCap => "tip-above-fee-cap",
            Self::Oversized => "oversized",
            Self::EmptyAuthorizationList => "empty-authorization-list",
        }
    }
}

/// A refused transaction, with the numbers a message needs where the code has any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub code: RefusalCode,
    /// What the transaction has, and what was wanted.
    pub numbers: Option<(u128, u128)>,
}

impl fmt::Display for Refusal {
    /// The code, and its numbers where it has any.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code.as_str())?;
        match self.numbers {
            Some((have, want)) => write!(f, " {have} {want}"),
            None => Ok(()),
        }
    }
}

impl Refusal {
    /// Without numbers.
    pub(super) fn new(code: RefusalCode) -> Self {
        Self {
            code,
            numbers: None,
        }
    }

    /// With what the transaction has, and what was wanted.
    pub(super) fn with(code: RefusalCode, have: impl Into<u128>, want: impl Into<u128>) -> Self {
        Self {
            code,
            numbers: Some((have.into(), want.into())),
        }
    }

    /// The refusal of a signature that names no sender.
    pub fn signature() -> Self {
        Self::new(RefusalCode::InvalidSignature)
    }
}
