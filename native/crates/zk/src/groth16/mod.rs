//! Groth16 over BN254 and BLS12-381: canonical bytes, encodings and batch verification. The pairing work sits behind
//! [`engine::Engine`], whose face is canonical bytes only, so that another library can take its place.

pub(crate) mod ark;
pub(crate) mod batch;
pub(crate) mod canonical;
pub(crate) mod encoding;
pub(crate) mod engine;
pub(crate) mod key_cache;
mod pedersen;
pub(crate) mod statement;

/// Label of the proof system in records, statements and key hashes.
pub(crate) const SYSTEM: &str = "groth16";
