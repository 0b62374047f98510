//! Groth16 over BN254: canonical bytes, snarkjs JSON, and batch verification. The pairing work sits behind
//! [`engine::Engine`], whose face is canonical bytes only, so that another library can take its place.

pub(crate) mod ark;
pub(crate) mod batch;
pub(crate) mod canonical;
pub(crate) mod engine;
pub(crate) mod key_cache;
pub(crate) mod snarkjs;

/// Label of the proof system in records, statements and key hashes.
pub(crate) const SYSTEM: &str = "groth16";
/// Label of the curve.
pub(crate) const CURVE: &str = "bn254";
