//! The encodings of Groth16: each turns a proof, its public inputs and a key into canonical bytes. Strict: canonical
//! numbers, coordinates below p, exact lengths and counts. Whether points lie on their curve is found out later, in
//! the order of the error classes; what has no canonical bytes at all is remembered as `off_curve` until then.

mod arkworks_binary;
mod compressed;
mod decimal;
mod gnark_binary;
mod gnark_json;
mod inputs;
mod points;
mod producer;
mod snarkjs_json;

use super::canonical::{KeyBytes, ProofBytes};
use crate::curve::Curve;
use crate::json::Json;
use crate::verdict::{ErrorCode, Refusal};

use producer::Producer;

pub(crate) use inputs::Inputs;
pub(crate) use snarkjs_json::labelled_curve;

/// A proof with its public inputs; nothing of it has touched the curve yet.
#[derive(Debug)]
pub(crate) struct Artifact {
    pub(crate) proof: ProofBytes,
    pub(crate) inputs: Inputs,
    /// A point was given that no curve has, though its canonical bytes would read as infinity.
    pub(crate) off_curve: bool,
}

/// A decoded key.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) bytes: KeyBytes,
    /// As of [`Artifact`].
    pub(crate) off_curve: bool,
}

/// Proof and public inputs as bytes behind one another, as a bare artifact holds them.
pub(crate) type Halves<'a> = (&'a [u8], Option<&'a [u8]>);

/// Finds where the proof ends in bytes that hold proof and inputs.
type Split = fn(Curve, &[u8]) -> Option<Halves<'_>>;

/// One encoding.
#[derive(Debug)]
pub(crate) struct Encoding {
    /// Its label.
    pub(crate) name: &'static str,
    /// What writes it.
    pub(crate) producer: Producer,
    /// Proof and, where given, public inputs.
    pub(crate) artifact: fn(Curve, &Json, Option<&Json>) -> Result<Artifact, Refusal>,
    /// Verification key.
    pub(crate) key: fn(Curve, &Json) -> Result<Key, Refusal>,
    /// Of bare bytes; `None` for encodings that are JSON.
    pub(crate) halves: Option<Split>,
}

/// All of them.
pub(crate) const ENCODINGS: [Encoding; 4] = [
    Encoding {
        name: "snarkjs-json",
        producer: producer::SNARKJS,
        artifact: snarkjs_json::artifact,
        key: snarkjs_json::key,
        halves: None,
    },
    Encoding {
        name: "gnark-binary",
        producer: producer::GNARK,
        artifact: gnark_binary::artifact,
        key: gnark_binary::key,
        halves: Some(gnark_binary::halves),
    },
    Encoding {
        name: "gnark-json",
        producer: producer::GNARK,
        artifact: gnark_json::artifact,
        key: gnark_json::key,
        halves: None,
    },
    Encoding {
        name: "arkworks-binary",
        producer: producer::ARKWORKS,
        artifact: arkworks_binary::artifact,
        key: arkworks_binary::key,
        halves: Some(arkworks_binary::halves),
    },
];

/// The encoding of this name.
pub(crate) fn named(name: &str) -> Option<&'static Encoding> {
    ENCODINGS.iter().find(|encoding| encoding.name == name)
}

fn malformed(detail: impl Into<String>) -> Refusal {
    Refusal::new(ErrorCode::Malformed, detail)
}

/// The canonical proof of these points.
fn proof_of(points: points::Points) -> Result<(ProofBytes, bool), Refusal> {
    let proof = ProofBytes::parse(points.curve, &points.bytes);
    let proof = proof.ok_or_else(|| malformed("proof: not of a length that proofs have"))?;
    Ok((proof, points.off_curve))
}

/// The canonical key of these points and counts.
fn key_of(points: points::Points) -> Result<Key, Refusal> {
    let bytes = KeyBytes::parse(points.curve, &points.bytes).ok_or_else(|| {
        malformed("vk: counts, Pedersen keys or committed indices that do not fit together")
    })?;
    Ok(Key {
        bytes,
        off_curve: points.off_curve,
    })
}

/// Bytes given as text: hex behind `0x`, hex, or base64.
fn bytes_of(value: &Json, at: &str) -> Result<Vec<u8>, Refusal> {
    value
        .as_text()
        .and_then(crate::hex::decode_text)
        .ok_or_else(|| malformed(format!("{at}: expected bytes as 0x hex or base64")))
}
