//! A Groth16 proof on its way from its encoding to its verdict: the checks between `malformed` and the curve, in the
//! order of the error classes.

use super::batch::Claim;
use super::canonical::{KeyBytes, ProofBytes};
use super::encoding::{self, Artifact, Encoding};
use crate::curve::Curve;
use crate::json::Json;
use crate::verdict::{ErrorCode, Kind, Refusal, Verified};
use crate::{hash, submission};

/// What an envelope says of its Groth16 proof.
pub(crate) struct Parts<'a> {
    pub(crate) encoding: &'static Encoding,
    pub(crate) curve: Curve,
    pub(crate) proof: &'a Json,
    pub(crate) inputs: Option<&'a Json>,
    pub(crate) key: KeySource<'a>,
}

/// Where the key comes from.
pub(crate) enum KeySource<'a> {
    /// The key itself, and the hash given beside it.
    Given {
        key: &'a Json,
        hash: Option<[u8; 32]>,
    },
    /// The hash of a registered key, and its canonical bytes when they were found.
    Registered {
        hash: [u8; 32],
        found: Option<&'a [u8]>,
    },
}

impl Parts<'_> {
    /// The key, and whether a point of it is on no curve.
    fn resolve_key(&self) -> Result<(KeyBytes, bool), Refusal> {
        match &self.key {
            KeySource::Given { key, hash } => {
                let key = (self.encoding.key)(self.curve, key)?;
                if hash.is_some_and(|hash| hash != key.bytes.hash()) {
                    return Err(refusal(
                        ErrorCode::Malformed,
                        "vkHash: not the hash of the given vk",
                    ));
                }
                Ok((key.bytes, key.off_curve))
            }
            KeySource::Registered { hash, found } => found
                .and_then(|bytes| KeyBytes::parse(self.curve, bytes))
                .filter(|key| key.hash() == *hash)
                .map(|key| (key, false))
                .ok_or_else(|| Refusal::unknown_key(*hash)),
        }
    }
}

/// A Groth16 proof that has passed every check before the curve.
pub(crate) struct Statement {
    encoding: &'static str,
    key: KeyBytes,
    proof: ProofBytes,
    proof_hash: [u8; 32],
    inputs: Vec<[u8; 32]>,
    public_inputs_hash: [u8; 32],
}

impl Statement {
    /// Decodes and checks up to `input-out-of-field`, and what no curve has.
    pub(crate) fn decode(parts: &Parts<'_>) -> Result<Self, Refusal> {
        let Artifact {
            proof,
            inputs,
            mut off_curve,
        } = (parts.encoding.artifact)(parts.curve, parts.proof, parts.inputs)?;
        let (key, key_off_curve) = parts.resolve_key()?;
        off_curve |= key_off_curve;
        let (has, wants) = (proof.commitments(), key.commitments().len());
        if has != wants {
            let detail = format!("proof: {has} commitments, the key wants {wants}");
            return Err(Refusal::new(ErrorCode::Malformed, detail));
        }
        let (has, wants) = (inputs.count, key.input_count());
        if has != wants {
            let detail = format!("{has} public inputs, the key wants {wants}");
            return Err(Refusal::new(ErrorCode::WrongInputCount, detail));
        }
        let Some(inputs) = inputs.words else {
            return Err(refusal(
                ErrorCode::InputOutOfField,
                "publicInputs: not below the scalar field's order",
            ));
        };
        if off_curve {
            return Err(refusal(
                ErrorCode::NotOnCurve,
                submission::explain(ErrorCode::NotOnCurve),
            ));
        }
        Ok(Self {
            encoding: parts.encoding.name,
            proof_hash: hash::sha256(&[proof.as_bytes()]),
            public_inputs_hash: hash::public_inputs_hash(inputs.as_flattened()),
            key,
            proof,
            inputs,
        })
    }

    /// What is left to verify.
    pub(crate) fn claim(&self) -> Claim<'_> {
        Claim {
            key: &self.key,
            proof: &self.proof,
            proof_hash: self.proof_hash,
            inputs: &self.inputs,
            public_inputs_hash: self.public_inputs_hash,
        }
    }

    /// Its canonical parts, once it is verified.
    pub(crate) fn verified(self) -> Verified {
        Verified {
            kind: Kind::Proof,
            system: super::SYSTEM.to_owned(),
            curve: self.key.curve().label().to_owned(),
            encoding: self.encoding.to_owned(),
            version: String::new(),
            vk_hash: self.key.hash(),
            public_inputs_hash: self.public_inputs_hash,
            proof_hash: self.proof_hash,
            canonical_proof: self.proof.as_bytes().to_vec(),
            canonical_key: self.key.as_bytes().to_vec(),
            public_inputs: self.inputs.concat(),
        }
    }
}

fn refusal(code: ErrorCode, detail: &str) -> Refusal {
    Refusal::new(code, detail)
}

/// The curve of an artifact: the envelope's label, else the one snarkjs writes into proof or key, else BN254.
pub(crate) fn curve_of(
    named: Option<&str>,
    proof: Option<&Json>,
    key: Option<&Json>,
) -> Result<Curve, Refusal> {
    match named {
        Some(name) => Curve::named(name).ok_or_else(|| {
            refusal(
                ErrorCode::UnsupportedSystem,
                "curve: groth16 is verified over bn254 and bls12-381 here",
            )
        }),
        None => Ok([proof, key]
            .into_iter()
            .flatten()
            .find_map(encoding::labelled_curve)
            .unwrap_or(Curve::Bn254)),
    }
}
