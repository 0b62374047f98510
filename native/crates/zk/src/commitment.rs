//! Commitments: values that are only committed to (block hash, Merkle root, event root). Owns their canonical bytes
//! and the fields whose elements they may be.

use crate::json::Json;
use crate::number::{BLS12_381_R, BN254_R, DecimalFault, GOLDILOCKS, STARK252, Word};
use crate::verdict::{ErrorCode, Refusal};
use crate::{hash, hex};

/// The `system` label of a commitment.
pub(crate) const SYSTEM: &str = "commitment";
/// Longest value.
pub(crate) const MAX_BYTES: usize = 64;

/// Order of a named field: the scalar fields of BN254 and BLS12-381, Goldilocks, the Stark curve's base field.
fn order(field: &str) -> Option<Word> {
    match field {
        "bn254" => Some(BN254_R),
        "bls12-381" => Some(BLS12_381_R),
        "goldilocks" => Some(GOLDILOCKS),
        "stark252" => Some(STARK252),
        _ => None,
    }
}

/// Whether these are canonical bytes: 1 to 64 of them, or with a field named its element as 32 bytes big-endian.
pub(crate) fn is_canonical(value: &[u8], field: &str) -> bool {
    if field.is_empty() {
        return (1..=MAX_BYTES).contains(&value.len());
    }
    let word = <&[u8; 32]>::try_from(value).map(Word::from_be);
    matches!((word, order(field)), (Ok(word), Some(order)) if word.is_below(order))
}

/// Canonical bytes of a submitted value: `0x` hex (the prefix may be absent without a field), or with a field named
/// also a canonical decimal.
///
/// # Errors
/// `malformed`, or `input-out-of-field` for a number that is not below the named field's order.
pub(crate) fn decode(value: &Json, field: Option<&str>) -> Result<Vec<u8>, Refusal> {
    let malformed = |detail: &str| Refusal::new(ErrorCode::Malformed, detail);
    let text = value
        .as_text()
        .ok_or_else(|| malformed("value: expected text"))?;
    let Some(field) = field else {
        let bytes = hex::decode(text.strip_prefix("0x").unwrap_or(text))
            .filter(|bytes| is_canonical(bytes, ""));
        return bytes.ok_or_else(|| malformed("value: expected 1 to 64 bytes of hex"));
    };
    let order = order(field)
        .ok_or_else(|| malformed("field: expected bn254, bls12-381, goldilocks or stark252"))?;
    let word = match hex::decode_prefixed(text) {
        Some(bytes) if bytes.is_empty() || bytes.len() > 32 => {
            return Err(malformed("value: expected 1 to 32 bytes"));
        }
        Some(bytes) => from_short_be(&bytes),
        None => match Word::from_decimal(text) {
            Ok(word) => word,
            Err(DecimalFault::TooLarge) => return Err(out_of_field(field)),
            Err(DecimalFault::NotCanonical) => {
                return Err(malformed("value: expected 0x hex or a canonical decimal"));
            }
        },
    };
    if word.is_below(order) {
        Ok(word.to_be().to_vec())
    } else {
        Err(out_of_field(field))
    }
}

fn out_of_field(field: &str) -> Refusal {
    Refusal::new(
        ErrorCode::InputOutOfField,
        format!("value: not below the order of {field}"),
    )
}

/// At most 32 bytes big-endian.
fn from_short_be(bytes: &[u8]) -> Word {
    let mut padded = [0; 32];
    for (to, from) in padded.iter_mut().rev().zip(bytes.iter().rev()) {
        *to = *from;
    }
    Word::from_be(&padded)
}

/// A commitment's canonical parts.
pub(crate) fn verified(value: Vec<u8>, field: Option<String>) -> crate::Verified {
    crate::Verified {
        kind: crate::Kind::Commitment,
        system: SYSTEM.to_owned(),
        curve: field.unwrap_or_default(),
        encoding: String::new(),
        version: String::new(),
        vk_hash: [0; 32],
        public_inputs_hash: [0; 32],
        proof_hash: hash::sha256(&[&value]),
        canonical_proof: value,
        canonical_key: Vec::new(),
        public_inputs: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str, field: Option<&str>) -> Result<Vec<u8>, ErrorCode> {
        decode(&Json::Text(text.to_owned()), field).map_err(|refusal| refusal.code)
    }

    #[test]
    fn bytes_without_a_field_are_taken_as_they_are() {
        assert_eq!(decoded("0x00aB", None), Ok(vec![0, 0xab]));
        assert_eq!(decoded("00ab", None), Ok(vec![0, 0xab]));
        assert_eq!(
            decoded(&format!("0x{}", "11".repeat(64)), None),
            Ok(vec![0x11; 64])
        );
        for text in ["0x", "", "0x0", "xyz", &format!("0x{}", "11".repeat(65))] {
            assert_eq!(decoded(text, None), Err(ErrorCode::Malformed), "{text}");
        }
    }

    #[test]
    fn a_field_element_is_stored_as_32_bytes_whatever_its_spelling() {
        let mut three = vec![0; 32];
        three[31] = 3;
        for text in ["3", "0x03", "0x0003"] {
            assert_eq!(decoded(text, Some("bn254")), Ok(three.clone()), "{text}");
        }
        assert_eq!(decoded("03", Some("bn254")), Err(ErrorCode::Malformed));
        assert_eq!(decoded("3", Some("pasta")), Err(ErrorCode::Malformed));
    }

    #[test]
    fn a_field_element_is_never_reduced() {
        let r = "21888242871839275222246405745257275088548364400416034343698204186575808495617";
        assert_eq!(decoded(r, Some("bn254")), Err(ErrorCode::InputOutOfField));
        assert!(decoded(r, Some("bls12-381")).is_ok());
        assert_eq!(
            decoded("18446744069414584321", Some("goldilocks")),
            Err(ErrorCode::InputOutOfField)
        );
        assert!(decoded("18446744069414584320", Some("goldilocks")).is_ok());
        assert_eq!(
            decoded(&"9".repeat(78), Some("stark252")),
            Err(ErrorCode::InputOutOfField)
        );
    }
}
