//! From `proof_data` texts to verdicts: envelope, decoding, the checks before the curve, one batch for all proofs.

use rayon::prelude::*;

use crate::envelope::{Envelope, KeyReference};
use crate::groth16::batch::{self, Claim};
use crate::groth16::canonical::KeyBytes;
use crate::groth16::snarkjs::{self, Artifact};
use crate::json::Json;
use crate::verdict::{ErrorCode, Kind, Refusal, Verdict, Verified};
use crate::{commitment, groth16, hash, threads};

/// The encoding decoded here.
pub(crate) const SNARKJS_JSON: &str = "snarkjs-json";

/// A Groth16 proof that has passed every check before the curve.
struct Groth16 {
    proof: Artifact,
    key: KeyBytes,
    inputs: Vec<[u8; 32]>,
    proof_hash: [u8; 32],
    public_inputs_hash: [u8; 32],
}

enum Decoded {
    Groth16(Box<Groth16>),
    Commitment(Box<Verified>),
}

/// One verdict per text, in their order.
pub(crate) fn verify(items: &[&str]) -> Vec<Verdict> {
    let decoded: Vec<_> = threads::run(|| items.par_iter().map(|text| decode(text)).collect());
    let claims: Vec<_> = decoded.iter().filter_map(claim).collect();
    let mut outcomes = batch::verify(&claims).into_iter();
    decoded
        .into_iter()
        .map(|item| verdict(item, &mut outcomes))
        .collect()
}

fn claim(item: &Result<Decoded, Refusal>) -> Option<Claim<'_>> {
    let Ok(Decoded::Groth16(item)) = item else {
        return None;
    };
    Some(Claim {
        key: &item.key,
        proof: &item.proof.proof,
        proof_hash: item.proof_hash,
        inputs: &item.inputs,
        public_inputs_hash: item.public_inputs_hash,
    })
}

fn verdict(
    item: Result<Decoded, Refusal>,
    outcomes: &mut impl Iterator<Item = Result<(), ErrorCode>>,
) -> Verdict {
    let item = match item {
        Err(refusal) => return refusal.into(),
        Ok(Decoded::Commitment(verified)) => return Verdict::Valid(verified),
        Ok(Decoded::Groth16(item)) => item,
    };
    match outcomes.next().unwrap_or(Err(ErrorCode::InvalidProof)) {
        Ok(()) => Verdict::Valid(Box::new(item.verified())),
        Err(code) => Refusal::new(code, explain(code)).into(),
    }
}

fn explain(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::NotOnCurve => "a point of the proof or the key is not on its curve",
        ErrorCode::NotInSubgroup => {
            "a G2 point of the proof or the key is outside the subgroup of order r"
        }
        _ => "the verification equation does not hold",
    }
}

impl Groth16 {
    fn verified(self) -> Verified {
        Verified {
            kind: Kind::Proof,
            system: groth16::SYSTEM.to_owned(),
            curve: groth16::CURVE.to_owned(),
            encoding: SNARKJS_JSON.to_owned(),
            version: String::new(),
            vk_hash: self.key.hash(),
            public_inputs_hash: self.public_inputs_hash,
            proof_hash: self.proof_hash,
            canonical_proof: self.proof.proof.as_bytes().to_vec(),
            canonical_key: self.key.as_bytes().to_vec(),
            public_inputs: self.inputs.concat(),
        }
    }
}

fn decode(text: &str) -> Result<Decoded, Refusal> {
    match Envelope::parse(text)? {
        Envelope::Commitment { value, field } => {
            let value = commitment::decode(&value, field.as_deref())?;
            Ok(Decoded::Commitment(Box::new(commitment::verified(
                value, field,
            ))))
        }
        Envelope::Groth16Snarkjs {
            curve,
            proof,
            inputs,
            key,
        } => {
            let given = if let KeyReference::Given { key, .. } = &key {
                Some(key)
            } else {
                None
            };
            check_curve(curve.as_deref(), &proof, given)?;
            let proof = snarkjs::decode_proof(&proof, &inputs)?;
            groth16(proof, &key).map(|item| Decoded::Groth16(Box::new(item)))
        }
    }
}

/// The checks between `malformed` and the curve, in the order of the error classes.
fn groth16(mut proof: Artifact, key: &KeyReference) -> Result<Groth16, Refusal> {
    let KeyReference::Given { key, hash } = key else {
        return Err(Refusal::new(
            ErrorCode::UnknownVk,
            "vkHash: no such key is registered",
        ));
    };
    let key = snarkjs::decode_key(key)?;
    if hash.is_some_and(|hash| hash != key.bytes.hash()) {
        return Err(Refusal::new(
            ErrorCode::Malformed,
            "vkHash: not the hash of the given vk",
        ));
    }
    if proof.input_count != key.bytes.input_count() {
        let detail = format!(
            "{} public inputs, the key wants {}",
            proof.input_count,
            key.bytes.input_count()
        );
        return Err(Refusal::new(ErrorCode::WrongInputCount, detail));
    }
    let Some(inputs) = proof.inputs.take() else {
        return Err(Refusal::new(
            ErrorCode::InputOutOfField,
            "publicInputs: not below the scalar field's order",
        ));
    };
    if proof.zero_point || key.zero_point {
        return Err(Refusal::new(
            ErrorCode::NotOnCurve,
            explain(ErrorCode::NotOnCurve),
        ));
    }
    let proof_hash = hash::sha256(&[proof.proof.as_bytes()]);
    let public_inputs_hash = hash::public_inputs_hash(inputs.as_flattened());
    Ok(Groth16 {
        proof,
        key: key.bytes,
        inputs,
        proof_hash,
        public_inputs_hash,
    })
}

/// The canonical label of a curve under any of its usual names.
fn curve_label(name: &str) -> Option<&'static str> {
    match name {
        "bn254" | "bn128" | "alt_bn128" => Some(groth16::CURVE),
        "bls12-381" | "bls12381" | "bls12_381" => Some("bls12-381"),
        _ => None,
    }
}

/// The curves named by envelope, proof and key agree, and are BN254; none named means BN254.
fn check_curve(envelope: Option<&str>, proof: &Json, key: Option<&Json>) -> Result<(), Refusal> {
    let unsupported = || {
        Refusal::new(
            ErrorCode::UnsupportedSystem,
            "curve: groth16 is verified over bn254 here",
        )
    };
    let mut curve = envelope
        .map(|name| curve_label(name).ok_or_else(unsupported))
        .transpose()?;
    for part in [Some(proof), key].into_iter().flatten() {
        let Some(label) = part.as_object().and_then(|members| members.get("curve")) else {
            continue;
        };
        let named = label.as_text().and_then(curve_label);
        if named.is_none() || curve.is_some() && curve != named {
            return Err(Refusal::new(
                ErrorCode::Malformed,
                "curve: envelope, proof and key name different curves",
            ));
        }
        curve = named;
    }
    if curve.is_none_or(|curve| curve == groth16::CURVE) {
        Ok(())
    } else {
        Err(unsupported())
    }
}
