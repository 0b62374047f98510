//! Proof systems of Cairn: strict decoding, canonical bytes and batch verification with a verdict per proof, for the
//! service's intake (`verify_submissions`) and for every validator (`precompile`). Owns no chain state, no clock, no
//! randomness: the same bytes give the same answer everywhere.

mod bytes;
mod commitment;
mod envelope;
mod groth16;
mod hash;
mod hex;
mod json;
mod merkle;
pub mod precompile;
mod record;
mod submission;
mod threads;
mod verdict;
mod word;

pub use verdict::{ErrorCode, Kind, Refusal, Verdict, Verified};

/// Decodes and verifies `proof_data` texts, all proofs in one batch; one verdict per item, in their order, each what
/// the item alone would get. Accepted: the envelope or bare snarkjs artifact of Groth16 over BN254, and commitments.
#[must_use]
pub fn verify_submissions(items: &[&str]) -> Vec<Verdict> {
    submission::verify(items)
}
