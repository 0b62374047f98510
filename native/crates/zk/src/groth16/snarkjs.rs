//! snarkjs JSON (proof, public signals, verification key) to canonical bytes. Strict: canonical decimals, coordinates
//! below p, z 1 or the form of infinity, exact counts, labels that agree. `vk_alphabeta_12` is a cached pairing and is
//! not read.

use std::collections::BTreeMap;

use super::canonical::{KeyBytes, ProofBytes};
use crate::json::Json;
use crate::verdict::{ErrorCode, Refusal};
use crate::word::{BN254_P, BN254_R, DecimalFault, Word};

/// What was decoded; nothing of it has touched the curve yet.
#[derive(Debug)]
pub(crate) struct Artifact {
    pub(crate) proof: ProofBytes,
    /// Below r; `None` when an input is not.
    pub(crate) inputs: Option<Vec<[u8; 32]>>,
    pub(crate) input_count: usize,
    /// A point was given as 0, 0 with z = 1: no curve point, though canonical bytes would read as infinity.
    pub(crate) zero_point: bool,
}

/// A decoded key.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) bytes: KeyBytes,
    /// As of [`Artifact`].
    pub(crate) zero_point: bool,
}

type Members = BTreeMap<String, Json>;

fn malformed(detail: impl Into<String>) -> Refusal {
    Refusal::new(ErrorCode::Malformed, detail)
}

/// Decodes proof and public signals.
pub(crate) fn decode_proof(proof: &Json, inputs: &Json) -> Result<Artifact, Refusal> {
    let members = proof
        .as_object()
        .ok_or_else(|| malformed("proof: expected an object"))?;
    check_protocol(members, "proof")?;
    let mut points = Points::default();
    points.g1(member(members, "pi_a", "proof")?, "proof.pi_a")?;
    points.g2(member(members, "pi_b", "proof")?, "proof.pi_b")?;
    points.g1(member(members, "pi_c", "proof")?, "proof.pi_c")?;
    let proof = ProofBytes::parse(&points.bytes).ok_or_else(|| malformed("proof: wrong length"))?;
    let (input_count, inputs) = decode_inputs(inputs)?;
    Ok(Artifact {
        proof,
        inputs,
        input_count,
        zero_point: points.zero_point,
    })
}

/// Decodes a verification key.
pub(crate) fn decode_key(key: &Json) -> Result<Key, Refusal> {
    let members = key
        .as_object()
        .ok_or_else(|| malformed("vk: expected an object"))?;
    check_protocol(members, "vk")?;
    let ic = member(members, "IC", "vk")?
        .as_array()
        .ok_or_else(|| malformed("vk.IC: expected an array"))?;
    let count = u32::try_from(ic.len()).map_err(|_| malformed("vk.IC: too many points"))?;
    match member(members, "nPublic", "vk")? {
        Json::Number(Some(declared)) if declared.checked_add(1) == Some(u64::from(count)) => {}
        _ => {
            return Err(malformed(
                "vk.nPublic: expected the number of IC points less one",
            ));
        }
    }
    let mut points = Points {
        bytes: count.to_be_bytes().to_vec(),
        zero_point: false,
    };
    points.g1(member(members, "vk_alpha_1", "vk")?, "vk.vk_alpha_1")?;
    for name in ["vk_beta_2", "vk_gamma_2", "vk_delta_2"] {
        points.g2(member(members, name, "vk")?, name)?;
    }
    for point in ic {
        points.g1(point, "vk.IC")?;
    }
    points.bytes.extend_from_slice(&0_u32.to_be_bytes());
    let bytes = KeyBytes::parse(&points.bytes).ok_or_else(|| malformed("vk: wrong length"))?;
    Ok(Key {
        bytes,
        zero_point: points.zero_point,
    })
}

fn member<'a>(members: &'a Members, name: &str, of: &str) -> Result<&'a Json, Refusal> {
    members
        .get(name)
        .ok_or_else(|| malformed(format!("{of}.{name}: missing")))
}

fn check_protocol(members: &Members, of: &str) -> Result<(), Refusal> {
    match members.get("protocol") {
        None => Ok(()),
        Some(label) if label.as_text() == Some(super::SYSTEM) => Ok(()),
        Some(_) => Err(malformed(format!(
            "{of}.protocol: expected \"{}\"",
            super::SYSTEM
        ))),
    }
}

/// Their number, and their words when all are below r.
type Inputs = (usize, Option<Vec<[u8; 32]>>);

fn decode_inputs(inputs: &Json) -> Result<Inputs, Refusal> {
    let items = inputs
        .as_array()
        .ok_or_else(|| malformed("publicInputs: expected an array"))?;
    let mut words = Some(Vec::with_capacity(items.len()));
    for item in items {
        let text = item
            .as_text()
            .ok_or_else(|| malformed("publicInputs: expected decimal strings"))?;
        match Word::from_decimal(text) {
            Err(DecimalFault::NotCanonical) => {
                return Err(malformed("publicInputs: not a canonical decimal"));
            }
            Ok(word) if word.is_below(BN254_R) => {
                if let Some(words) = &mut words {
                    words.push(word.to_be());
                }
            }
            Ok(_) | Err(DecimalFault::TooLarge) => words = None,
        }
    }
    Ok((items.len(), words))
}

/// Points written one after another in EIP-197 form.
#[derive(Default)]
struct Points {
    bytes: Vec<u8>,
    zero_point: bool,
}

impl Points {
    fn g1(&mut self, value: &Json, at: &str) -> Result<(), Refusal> {
        self.push(row(value, at)?.map(std::slice::from_ref), at)
    }

    fn g2(&mut self, value: &Json, at: &str) -> Result<(), Refusal> {
        let mut parts: [&[Json]; 3] = [&[]; 3];
        for (part, row) in parts.iter_mut().zip(row(value, at)?) {
            *part = row
                .as_array()
                .filter(|limbs| limbs.len() == 2)
                .ok_or_else(|| malformed(shape(at)))?;
        }
        self.push(parts, at)
    }

    /// Writes x and y, each with its highest limb first, after judging z.
    fn push(&mut self, [x, y, z]: [&[Json]; 3], at: &str) -> Result<(), Refusal> {
        let [x, y, z] = [limbs(x, at)?, limbs(y, at)?, limbs(z, at)?];
        let all_zero = |limbs: &[Word]| limbs.iter().all(|limb| *limb == ZERO);
        if is_one(&z) {
            self.zero_point |= all_zero(&x) && all_zero(&y);
            for limb in x.iter().rev().chain(y.iter().rev()) {
                self.bytes.extend_from_slice(&limb.to_be());
            }
            return Ok(());
        }
        if !(all_zero(&z) && all_zero(&x) && is_one(&y)) {
            return Err(malformed(format!(
                "{at}: z is neither 1 nor that of infinity (0, 1, 0)"
            )));
        }
        self.bytes
            .resize(self.bytes.len() + 32 * (x.len() + y.len()), 0);
        Ok(())
    }
}

const ZERO: Word = Word([0; 4]);
const ONE: Word = Word([1, 0, 0, 0]);

fn is_one(limbs: &[Word]) -> bool {
    limbs
        .split_first()
        .is_some_and(|(first, rest)| *first == ONE && rest.iter().all(|limb| *limb == ZERO))
}

fn shape(at: &str) -> String {
    format!("{at}: expected a point as snarkjs writes it")
}

fn row<'a>(value: &'a Json, at: &str) -> Result<[&'a Json; 3], Refusal> {
    match value.as_array() {
        Some([x, y, z]) => Ok([x, y, z]),
        _ => Err(malformed(shape(at))),
    }
}

fn limbs(values: &[Json], at: &str) -> Result<Vec<Word>, Refusal> {
    values.iter().map(|value| coordinate(value, at)).collect()
}

fn coordinate(value: &Json, at: &str) -> Result<Word, Refusal> {
    let text = value
        .as_text()
        .ok_or_else(|| malformed(format!("{at}: coordinates are decimal strings")))?;
    match Word::from_decimal(text) {
        Ok(word) if word.is_below(BN254_P) => Ok(word),
        Ok(_) | Err(DecimalFault::TooLarge) => Err(malformed(format!(
            "{at}: coordinate not below the field's order"
        ))),
        Err(DecimalFault::NotCanonical) => Err(malformed(format!(
            "{at}: coordinate is not a canonical decimal"
        ))),
    }
}
