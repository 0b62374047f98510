//! Which decoder takes which system and encoding. A further proof system adds its rows here, a variant to [`Decoder`]
//! for how it decodes, one to [`Decoded`] for what its verifier takes, and its own batch verification.

use crate::commitment;
use crate::curve::Curve;
use crate::envelope::{KeyReference, Members};
use crate::groth16::SYSTEM as GROTH16;
use crate::groth16::canonical::KeyBytes;
use crate::groth16::encoding::{self, Encoding, Halves};
use crate::groth16::statement::{KeySource, Parts, Statement, curve_of};
use crate::json::Json;
use crate::verdict::{ErrorCode, Refusal, Verified};

/// A decoder of one system and encoding.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Decoder {
    Groth16(&'static Encoding),
    Commitment,
}

/// What a decoder makes of a submission.
pub(crate) enum Decoded {
    /// To be verified.
    Groth16(Box<Statement>),
    /// Nothing is left to verify.
    Commitment(Box<Verified>),
}

/// A system that is decoded here.
#[derive(Clone, Copy, Debug)]
pub(crate) enum System {
    Groth16,
    Commitment,
}

/// The system of this label.
pub(crate) fn system(name: &str) -> Result<System, Refusal> {
    match name {
        GROTH16 => Ok(System::Groth16),
        commitment::SYSTEM => Ok(System::Commitment),
        _ => Err(Refusal::new(
            ErrorCode::UnsupportedSystem,
            "system: not verified here",
        )),
    }
}

impl System {
    /// The decoder of an encoding of this system.
    pub(crate) fn decoder(self, encoding: Option<&str>) -> Result<Decoder, Refusal> {
        let unsupported = |detail| Refusal::new(ErrorCode::UnsupportedEncoding, detail);
        match (self, encoding) {
            (Self::Groth16, None) => Err(Refusal::new(ErrorCode::Malformed, "missing: encoding")),
            (Self::Groth16, Some(name)) => encoding::named(name)
                .map(Decoder::Groth16)
                .ok_or_else(|| unsupported("encoding: not decoded here for groth16")),
            (Self::Commitment, None | Some("" | "hex")) => Ok(Decoder::Commitment),
            (Self::Commitment, Some(_)) => Err(unsupported(
                "encoding: a commitment is hex or a field element",
            )),
        }
    }
}

impl Decoder {
    /// Refuses a version label that names no layout decoded here; none is asked for.
    pub(crate) fn check_version(self, label: Option<&str>) -> Result<(), Refusal> {
        let Some(label) = label.filter(|label| !label.is_empty()) else {
            return Ok(());
        };
        let is_known = match self {
            Self::Groth16(encoding) => encoding.producer.knows(label),
            Self::Commitment => false,
        };
        if is_known {
            return Ok(());
        }
        Err(Refusal::new(
            ErrorCode::UnsupportedVersion,
            "version: not verified here in this encoding",
        ))
    }

    /// Decodes a submission; `found` are the canonical bytes of the key that it names by hash.
    pub(crate) fn decode(
        self,
        curve: Option<String>,
        members: &mut Members,
        found: Option<&[u8]>,
    ) -> Result<Decoded, Refusal> {
        match self {
            Self::Groth16(encoding) => {
                let statement = groth16(encoding, curve.as_deref(), members, found)?;
                Ok(Decoded::Groth16(Box::new(statement)))
            }
            Self::Commitment => {
                let value = members.required(&["value", "proof"])?;
                let value = commitment::decode(&value, curve.as_deref())?;
                let verified = commitment::verified(value, curve);
                Ok(Decoded::Commitment(Box::new(verified)))
            }
        }
    }

    /// Decodes a key that is given alone.
    pub(crate) fn key(self, curve: Option<&str>, key: &Json) -> Result<KeyBytes, Refusal> {
        let Self::Groth16(encoding) = self else {
            return Err(Refusal::new(
                ErrorCode::UnsupportedSystem,
                "system: has no verification keys",
            ));
        };
        let decoded = (encoding.key)(curve_of(curve, None, Some(key))?, key)?;
        if decoded.off_curve {
            let code = ErrorCode::NotOnCurve;
            return Err(Refusal::new(code, crate::submission::explain(code)));
        }
        Ok(decoded.bytes)
    }

    /// Proof and public inputs of a bare artifact.
    pub(crate) fn halves<'a>(
        self,
        curve: Option<&str>,
        bytes: &'a [u8],
    ) -> Result<Halves<'a>, Refusal> {
        let unrecognised = |detail| Refusal::new(ErrorCode::UnrecognisedFormat, detail);
        let Self::Groth16(Encoding {
            halves: Some(halves),
            ..
        }) = self
        else {
            return Err(unrecognised("bytes, where the profile's encoding is JSON"));
        };
        halves(curve_of(curve, None, None)?, bytes).ok_or_else(|| {
            Refusal::new(
                ErrorCode::Malformed,
                "bytes that are no proof of the profile's encoding with its public inputs",
            )
        })
    }
}

fn groth16(
    encoding: &'static Encoding,
    curve: Option<&str>,
    members: &mut Members,
    found: Option<&[u8]>,
) -> Result<Statement, Refusal> {
    let (proof, inputs) = (members.required(&["proof"])?, members.inputs()?);
    let key = members.key()?;
    let given = match &key {
        KeyReference::Given { key, .. } => Some(key),
        KeyReference::Registered(_) => None,
    };
    let curve = curve_of(curve, Some(&proof), given)?;
    Statement::decode(&Parts {
        encoding,
        curve,
        proof: &proof,
        inputs: inputs.as_ref(),
        key: match &key {
            KeyReference::Given { key, hash } => KeySource::Given { key, hash: *hash },
            KeyReference::Registered(hash) => KeySource::Registered { hash: *hash, found },
        },
    })
}

/// A verification key that is good to register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFacts {
    /// `groth16`.
    pub system: String,
    /// `bn254` or `bls12-381`.
    pub curve: String,
    /// The key's identity.
    pub vk_hash: [u8; 32],
    /// Canonical key bytes.
    pub canonical_key: Vec<u8>,
    /// Public inputs of a proof.
    pub public_inputs: usize,
    /// Pedersen commitments of a proof.
    pub commitments: usize,
}

impl KeyFacts {
    /// Of a decoded key.
    pub(crate) fn of(key: &KeyBytes) -> Self {
        Self {
            system: GROTH16.to_owned(),
            curve: key.curve().label().to_owned(),
            vk_hash: key.hash(),
            canonical_key: key.as_bytes().to_vec(),
            public_inputs: key.input_count(),
            commitments: key.commitments().len(),
        }
    }
}

/// Tag of a curve's Groth16 keys in `VerifyProofs` inputs.
pub(crate) fn groth16_of_tag(tag: u8) -> Option<Curve> {
    match tag {
        1 => Some(Curve::Bn254),
        2 => Some(Curve::Bls12381),
        _ => None,
    }
}
