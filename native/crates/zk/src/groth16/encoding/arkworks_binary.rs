//! arkworks' canonical serialisation (ark-serialize), compressed or not, told by the length; also split into named hex
//! fields, which joined in their order are these bytes. Public inputs are 32-byte little-endian values.

use std::collections::BTreeMap;

use super::compressed::{Form, PointReader};
use super::points::Points;
use super::{Artifact, Halves, Inputs, Key, bytes_of, key_of, malformed, proof_of};
use crate::curve::Curve;
use crate::json::Json;
use crate::number::Word;
use crate::verdict::Refusal;

/// Bytes of a public input.
const SCALAR_BYTES: usize = 32;
/// Bytes of a length.
const LENGTH_BYTES: usize = 8;

/// Decodes a proof and its public inputs: an array of hex values, or one text with their bytes behind one another.
pub(super) fn artifact(
    curve: Curve,
    proof: &Json,
    inputs: Option<&Json>,
) -> Result<Artifact, Refusal> {
    let bytes = match proof {
        Json::Object(fields) => {
            check_curve(curve, fields, "proof")?;
            joined(fields, &["a", "b", "c"], "proof")?
        }
        proof => bytes_of(proof, "proof")?,
    };
    let mut reader = PointReader::new(curve, proof_form(curve, bytes.len())?, &bytes, "proof");
    reader.g1()?;
    reader.g2()?;
    reader.g1()?;
    reader.end()?;
    let (proof, off_curve) = proof_of(reader.points)?;
    Ok(Artifact {
        proof,
        inputs: public_inputs(curve, inputs)?,
        off_curve,
    })
}

fn proof_form(curve: Curve, length: usize) -> Result<Form, Refusal> {
    let compressed = 4 * curve.coordinate_bytes();
    match curve {
        _ if length != compressed && length != 2 * compressed => Err(malformed(format!(
            "proof: {length} bytes, expected {compressed} or {}",
            2 * compressed
        ))),
        Curve::Bn254 if length == compressed => Ok(Form::TrailingCompressed),
        Curve::Bn254 => Ok(Form::TrailingWhole),
        Curve::Bls12381 => Ok(Form::Leading),
    }
}

fn public_inputs(curve: Curve, inputs: Option<&Json>) -> Result<Inputs, Refusal> {
    let values = match inputs {
        None => return Ok(Inputs::none()),
        Some(Json::Array(items)) => items
            .iter()
            .map(|item| {
                let value = bytes_of(item, "publicInputs")?;
                <[u8; SCALAR_BYTES]>::try_from(value.as_slice())
                    .map_err(|_| malformed("publicInputs: expected 32 bytes little-endian each"))
            })
            .collect::<Result<Vec<_>, _>>()?,
        Some(Json::Text(text)) if text.is_empty() || text == "0x" => Vec::new(),
        Some(inputs) => {
            let bytes = bytes_of(inputs, "publicInputs")?;
            let (values, rest) = bytes.as_chunks::<SCALAR_BYTES>();
            if !rest.is_empty() {
                return Err(malformed("publicInputs: expected 32 bytes each"));
            }
            values.to_vec()
        }
    };
    Ok(Inputs::of(
        curve,
        values.into_iter().map(|mut value| {
            value.reverse();
            Some(Word::from_be(&value))
        }),
    ))
}

/// Decodes a key: α ‖ β ‖ γ ‖ δ ‖ u64 little-endian count ‖ IC.
pub(super) fn key(curve: Curve, key: &Json) -> Result<Key, Refusal> {
    let bytes = match key {
        Json::Object(fields) => {
            check_curve(curve, fields, "vk")?;
            joined_key(fields)?
        }
        key => bytes_of(key, "vk")?,
    };
    let (form, count) = key_form(curve, &bytes).ok_or_else(|| {
        malformed("vk: neither a compressed nor an uncompressed key of the length its count says")
    })?;
    let mut reader = PointReader::new(curve, form, &bytes, "vk");
    reader.points.count(count);
    reader.g1()?;
    for _ in 0..3 {
        reader.g2()?;
    }
    reader.bytes.take(LENGTH_BYTES);
    for _ in 0..count {
        reader.g1()?;
    }
    reader.end()?;
    let mut points: Points = reader.points;
    points.count(0);
    key_of(points)
}

/// The form whose length fits the count that stands where the form puts it.
fn key_form(curve: Curve, bytes: &[u8]) -> Option<(Form, usize)> {
    let compressed = curve.coordinate_bytes();
    let forms = match curve {
        Curve::Bn254 => [Form::TrailingCompressed, Form::TrailingWhole],
        Curve::Bls12381 => [Form::Leading; 2],
    };
    let fits = |g1: usize| {
        let (head, rest) = bytes.split_at_checked(7 * g1)?;
        let (count, points) = rest.split_first_chunk::<LENGTH_BYTES>()?;
        let count = usize::try_from(u64::from_le_bytes(*count)).ok()?;
        let is_leading_compressed = head.first().is_some_and(|first| first >> 7 == 1);
        let has_form = curve == Curve::Bn254 || is_leading_compressed == (g1 == compressed);
        (has_form && count.checked_mul(g1) == Some(points.len())).then_some(count)
    };
    let mut candidates = [compressed, 2 * compressed].into_iter().zip(forms);
    candidates.find_map(|(g1, form)| Some((form, fits(g1)?)))
}

/// A label beside the fields says what the envelope says.
fn check_curve(curve: Curve, fields: &BTreeMap<String, Json>, of: &str) -> Result<(), Refusal> {
    match fields.get("curve") {
        Some(label) if label.as_text().and_then(Curve::named) != Some(curve) => Err(malformed(
            format!("{of}.curve: envelope, proof and key name different curves"),
        )),
        _ => Ok(()),
    }
}

fn joined(fields: &BTreeMap<String, Json>, names: &[&str], of: &str) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    for name in names {
        let at = format!("{of}.{name}");
        let field = fields
            .get(*name)
            .ok_or_else(|| malformed(format!("{at}: missing")))?;
        bytes.extend(bytes_of(field, &at)?);
    }
    Ok(bytes)
}

fn joined_key(fields: &BTreeMap<String, Json>) -> Result<Vec<u8>, Refusal> {
    let mut bytes = joined(
        fields,
        &["alpha_g1", "beta_g2", "gamma_g2", "delta_g2"],
        "vk",
    )?;
    let points = fields
        .get("gamma_abc_g1")
        .and_then(Json::as_array)
        .ok_or_else(|| malformed("vk.gamma_abc_g1: expected an array"))?;
    let count = u64::try_from(points.len()).unwrap_or(u64::MAX);
    bytes.extend_from_slice(&count.to_le_bytes());
    for point in points {
        bytes.extend(bytes_of(point, "vk.gamma_abc_g1")?);
    }
    Ok(bytes)
}

/// A proof and behind it, if anything, a serialised vector of public inputs: u64 little-endian count ‖ values.
pub(super) fn halves(curve: Curve, bytes: &[u8]) -> Option<Halves<'_>> {
    let compressed = 4 * curve.coordinate_bytes();
    [compressed, 2 * compressed].into_iter().find_map(|length| {
        let (proof, rest) = bytes.split_at_checked(length)?;
        if rest.is_empty() {
            return Some((proof, None));
        }
        let (count, values) = rest.split_first_chunk::<LENGTH_BYTES>()?;
        let count = usize::try_from(u64::from_le_bytes(*count)).ok()?;
        (count.checked_mul(SCALAR_BYTES) == Some(values.len())).then_some((proof, Some(values)))
    })
}
