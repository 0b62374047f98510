//! Proof systems of Cairn: strict decoding, canonical bytes and batch verification with a verdict per proof, for the
//! service's intake (`verify_submissions`) and for every validator (`precompile`). Owns no chain state, no clock, no
//! randomness: the same bytes give the same answer everywhere.

#![warn(unreachable_pub)]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)
)]

mod bytes;
mod commitment;
mod curve;
mod envelope;
mod groth16;
mod hash;
mod hash_to_field;
mod hex;
mod json;
mod merkle;
mod number;
pub mod precompile;
mod record;
mod registry;
mod submission;
mod threads;
mod verdict;

pub use registry::KeyFacts;
pub use verdict::{ErrorCode, Kind, Refusal, Verdict, Verified};

/// What an integration says of artifacts that come without an envelope.
#[derive(Clone, Copy, Debug)]
pub struct Profile<'a> {
    /// `groth16`.
    pub system: &'a str,
    /// Curve, where it is not the system's default.
    pub curve: Option<&'a str>,
    /// Encoding.
    pub encoding: &'a str,
    /// Hash of the registered key of proofs that bring none.
    pub vk_hash: Option<[u8; 32]>,
}

/// One submission to verify.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// The submitted text.
    pub proof_data: &'a str,
    /// Of the integration that submitted it.
    pub profile: Option<Profile<'a>>,
    /// Canonical bytes of the registered key that the proof names by hash.
    pub key: Option<&'a [u8]>,
}

impl<'a> Item<'a> {
    /// A text that brings everything itself.
    #[must_use]
    pub const fn of(proof_data: &'a str) -> Self {
        Self {
            proof_data,
            profile: None,
            key: None,
        }
    }
}

/// Decodes and verifies submissions, all proofs in one batch; one verdict per item, in their order, each what the item
/// alone would get. Accepted: the envelope or bare artifact of Groth16 over BN254 and BLS12-381 in the encodings of
/// snarkjs, gnark and arkworks, and commitments. Works on threads that give way to all others.
#[must_use]
pub fn verify_items(items: &[Item<'_>]) -> Vec<Verdict> {
    threads::run_in_background(|| submission::verify(items))
}

/// [`verify_items`] of texts that bring everything themselves.
#[must_use]
pub fn verify_submissions(items: &[&str]) -> Vec<Verdict> {
    let items: Vec<_> = items.iter().map(|text| Item::of(text)).collect();
    verify_items(&items)
}

/// Decodes a verification key, JSON text `{system, curve?, encoding, vk}`, and checks all its points.
///
/// # Errors
/// `malformed`, `unsupported-system`, `unsupported-encoding`, `not-on-curve` or `not-in-subgroup`.
pub fn decode_key(text: &str) -> Result<KeyFacts, Refusal> {
    submission::decode_key(text)
}
