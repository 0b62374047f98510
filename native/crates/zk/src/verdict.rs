//! What verification answers: the error classes of a refused submission and the canonical parts of an accepted one.
//! Owns the vocabulary only; who decides a verdict stands in `submission` and `batch`.

use std::fmt;

/// Why a submission is refused. The classes are checked in the order in which they stand here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// A bare artifact of no known shape.
    UnrecognisedFormat,
    /// The envelope names a proof system (or curve of a system) that is not verified here.
    UnsupportedSystem,
    /// The envelope names an encoding that is not decoded here.
    UnsupportedEncoding,
    /// The envelope names a version that is not verified here.
    UnsupportedVersion,
    /// Wrong type or length, missing or repeated field, non-canonical number, contradicting labels.
    Malformed,
    /// The key is given by a hash that was never registered.
    UnknownVk,
    /// Number of public inputs differs from the key's.
    WrongInputCount,
    /// A public input is not below the scalar field's order; never reduced.
    InputOutOfField,
    /// A point does not satisfy the curve equation.
    NotOnCurve,
    /// A point of the curve lies outside the subgroup of prime order.
    NotInSubgroup,
    /// Everything above holds and the verification equation fails.
    InvalidProof,
}

impl ErrorCode {
    /// The code's stable text, as REST answers and receipts spell it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnrecognisedFormat => "unrecognised-format",
            Self::UnsupportedSystem => "unsupported-system",
            Self::UnsupportedEncoding => "unsupported-encoding",
            Self::UnsupportedVersion => "unsupported-version",
            Self::Malformed => "malformed",
            Self::UnknownVk => "unknown-vk",
            Self::WrongInputCount => "wrong-input-count",
            Self::InputOutOfField => "input-out-of-field",
            Self::NotOnCurve => "not-on-curve",
            Self::NotInSubgroup => "not-in-subgroup",
            Self::InvalidProof => "invalid-proof",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A refusal: its class and one sentence for the submitter (no paths, no internals).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The error class.
    pub code: ErrorCode,
    /// What was wrong and where.
    pub detail: String,
    /// The hash of the key that is wanted, with `unknown-vk`.
    pub wanted_key: Option<[u8; 32]>,
}

impl Refusal {
    /// A refusal of class `code`.
    pub fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
            wanted_key: None,
        }
    }

    /// A refusal for want of the key with this hash.
    #[must_use]
    pub fn unknown_key(hash: [u8; 32]) -> Self {
        Self {
            wanted_key: Some(hash),
            ..Self::new(ErrorCode::UnknownVk, "vkHash: no such key is registered")
        }
    }
}

/// What a submission carries: a proof that was verified, or a value that is only committed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A zero-knowledge proof, verified.
    Proof,
    /// A commitment (block hash, Merkle root, event root): well-formed, nothing proven.
    Commitment,
}

impl Kind {
    /// `proof` or `commitment`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Proof => "proof",
            Self::Commitment => "commitment",
        }
    }
}

/// The canonical parts of an accepted submission, from which record, leaf and `VerifyProofs` slot are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Proof or commitment.
    pub kind: Kind,
    /// `groth16` or `commitment`.
    pub system: String,
    /// `bn254` or `bls12-381`; of a commitment the named field or empty.
    pub curve: String,
    /// `snarkjs-json`, `gnark-binary`, `gnark-json` or `arkworks-binary`; empty for a commitment.
    pub encoding: String,
    /// Version that decides how a proof is verified; empty where the system has none (Groth16, commitment).
    pub version: String,
    /// SHA-256 with the domain `cairn/vk/1`; zeros for a commitment.
    pub vk_hash: [u8; 32],
    /// SHA-256 of `u32 count ‖ inputs`; zeros for a commitment.
    pub public_inputs_hash: [u8; 32],
    /// SHA-256 of `canonical_proof`.
    pub proof_hash: [u8; 32],
    /// Canonical proof bytes, or a commitment's value.
    pub canonical_proof: Vec<u8>,
    /// Canonical key bytes; empty for a commitment.
    pub canonical_key: Vec<u8>,
    /// Each input as 32 bytes big-endian; empty for a commitment.
    pub public_inputs: Vec<u8>,
}

/// The answer for one submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Accepted.
    Valid(Box<Verified>),
    /// Refused.
    Invalid {
        /// The error class.
        code: ErrorCode,
        /// What was wrong and where.
        detail: String,
        /// The hash of the key that is wanted, with `unknown-vk`.
        wanted_key: Option<[u8; 32]>,
    },
}

impl From<Refusal> for Verdict {
    fn from(refusal: Refusal) -> Self {
        Self::Invalid {
            code: refusal.code,
            detail: refusal.detail,
            wanted_key: refusal.wanted_key,
        }
    }
}
