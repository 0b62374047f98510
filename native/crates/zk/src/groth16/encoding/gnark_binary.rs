//! gnark's binary files: `proof.WriteTo` or `WriteRawTo`, `vk.WriteTo` or `WriteRawTo` with the trailers of gnark 0.10
//! and of 0.11 to 0.14, and the public witness. Every count is compared with the bytes that are left before anything
//! is read by it.

use super::compressed::{Form, PointReader};
use super::points::Points;
use super::{Artifact, Halves, Inputs, Key, bytes_of, key_of, malformed, proof_of};
use crate::bytes::Bytes;
use crate::curve::Curve;
use crate::groth16::canonical::MAX_COMMITMENTS;
use crate::json::Json;
use crate::number::Word;
use crate::verdict::Refusal;

/// Bytes of a public input.
const SCALAR_BYTES: usize = 32;

/// Decodes a proof and the public witness; decimals in an array are taken as well.
pub(super) fn artifact(
    curve: Curve,
    proof: &Json,
    inputs: Option<&Json>,
) -> Result<Artifact, Refusal> {
    let bytes = bytes_of(proof, "proof")?;
    let mut reader = PointReader::new(curve, Form::Leading, &bytes, "proof");
    read_proof(&mut reader)?;
    reader.end()?;
    let (proof, off_curve) = proof_of(reader.points)?;
    let inputs = match inputs {
        None => Inputs::none(),
        Some(inputs @ Json::Array(_)) => Inputs::of_decimals(curve, inputs)?,
        Some(inputs) => witness(curve, &bytes_of(inputs, "publicInputs")?)?,
    };
    Ok(Artifact {
        proof,
        inputs,
        off_curve,
    })
}

/// Ar ‖ Bs ‖ Krs ‖ u32 k ‖ k commitments ‖ proof of knowledge, which is infinity when k = 0.
fn read_proof(reader: &mut PointReader<'_>) -> Result<(), Refusal> {
    reader.g1()?;
    reader.g2()?;
    reader.g1()?;
    let count = reader.count(reader.points.curve.coordinate_bytes())?;
    if count > MAX_COMMITMENTS {
        return Err(reader.fault("too many commitments"));
    }
    if count == 0 {
        return no_knowledge(reader);
    }
    reader.points.count(count);
    (0..=count).try_for_each(|_| reader.g1())
}

/// The proof of knowledge of nothing, which the canonical proof leaves out.
fn no_knowledge(reader: &mut PointReader<'_>) -> Result<(), Refusal> {
    let proof = reader.take_points();
    reader.g1()?;
    let knowledge = reader.take_points();
    reader.points = proof;
    if knowledge.off_curve || knowledge.bytes.iter().any(|byte| *byte != 0) {
        return Err(reader.fault("a proof of knowledge without a commitment"));
    }
    Ok(())
}

/// u32 public ‖ u32 secret, none ‖ u32 length ‖ 32-byte big-endian values.
fn witness(curve: Curve, bytes: &[u8]) -> Result<Inputs, Refusal> {
    let mut rest = Bytes::new(bytes);
    let counts = (rest.count(), rest.count(), rest.count());
    let (values, tail) = rest
        .take(rest.left())
        .unwrap_or_default()
        .as_chunks::<SCALAR_BYTES>();
    match counts {
        (Some(public), Some(0), Some(length))
            if public == length && length == values.len() && tail.is_empty() =>
        {
            let words = values.iter().map(|value| Some(Word::from_be(value)));
            Ok(Inputs::of(curve, words))
        }
        (_, Some(1..), _) => Err(malformed("publicInputs: a witness with secret values")),
        _ => Err(malformed(
            "publicInputs: not a public witness of the length its counts say",
        )),
    }
}

/// Decodes a verification key: α₁ ‖ β₁ ‖ β₂ ‖ γ₂ ‖ δ₁ ‖ δ₂ ‖ u32 n ‖ IC ‖ trailer. β₁ and δ₁ are not needed.
pub(super) fn key(curve: Curve, key: &Json) -> Result<Key, Refusal> {
    let bytes = bytes_of(key, "vk")?;
    let mut reader = PointReader::new(curve, Form::Leading, &bytes, "vk");
    reader.g1()?;
    skip_g1(&mut reader)?;
    reader.g2()?;
    reader.g2()?;
    skip_g1(&mut reader)?;
    reader.g2()?;
    let count = reader.count(curve.coordinate_bytes())?;
    for _ in 0..count {
        reader.g1()?;
    }
    let body = reader.take_points();
    let mut points = Points::new(curve);
    points.count(count);
    points.bytes.extend_from_slice(&body.bytes);
    points.off_curve = body.off_curve;
    let pedersen = trailer(&mut reader)?;
    points.off_curve |= reader.points.off_curve && !pedersen.is_empty();
    points.count(pedersen.len());
    for (key, committed) in pedersen {
        points.bytes.extend_from_slice(&key);
        points.count(committed.len());
        for index in committed {
            points.count(index);
        }
    }
    key_of(points)
}

/// Reads a G1 point that verification does not use.
fn skip_g1(reader: &mut PointReader<'_>) -> Result<(), Refusal> {
    let points = reader.take_points();
    reader.g1()?;
    reader.points = points;
    Ok(())
}

/// A Pedersen key's G ‖ GSigmaNeg and the committed indices.
type Pedersen = (Vec<u8>, Vec<usize>);

/// u32 k ‖ per commitment u32 length ‖ u64 indices, then from gnark 0.11 on u32 k ‖ k Pedersen keys, in 0.10 one key.
fn trailer(reader: &mut PointReader<'_>) -> Result<Vec<Pedersen>, Refusal> {
    let count = reader.count(4)?;
    if count > MAX_COMMITMENTS {
        return Err(reader.fault("too many commitments"));
    }
    let mut lists = Vec::with_capacity(count);
    for _ in 0..count {
        lists.push(indices(reader)?);
    }
    let form = reader.points.curve.coordinate_bytes() * 2;
    if reader.bytes.left().is_multiple_of(form) {
        return trailer_of_0_10(reader, lists);
    }
    let keys = reader.count(2 * form)?;
    if keys != count {
        return Err(reader.fault("not one Pedersen key per commitment"));
    }
    let mut pedersen = Vec::with_capacity(count);
    for list in lists {
        let start = reader.points.bytes.len();
        reader.g2()?;
        reader.g2()?;
        let key = reader.points.bytes.get(start..).unwrap_or_default();
        pedersen.push((key.to_vec(), list));
    }
    reader.end()?;
    Ok(pedersen)
}

/// One key, even without commitments. Its points have changed places since: 0.10 checks e(D, G)·e(K, GRootSigmaNeg),
/// later versions e(D, GSigmaNeg)·e(K, G).
fn trailer_of_0_10(
    reader: &mut PointReader<'_>,
    lists: Vec<Vec<usize>>,
) -> Result<Vec<Pedersen>, Refusal> {
    reader.g2()?;
    let middle = reader.points.bytes.len();
    reader.g2()?;
    reader.end()?;
    if lists.len() > 1 {
        return Err(malformed(
            "vk: a key of gnark 0.10 with several commitments, which later versions fold otherwise",
        ));
    }
    let (g, root) = reader
        .points
        .bytes
        .split_at_checked(middle)
        .unwrap_or_default();
    Ok(lists
        .into_iter()
        .map(|list| ([root, g].concat(), list))
        .collect())
}

fn indices(reader: &mut PointReader<'_>) -> Result<Vec<usize>, Refusal> {
    let count = reader.count(8)?;
    (0..count)
        .map(|_| {
            let index = reader
                .bytes
                .u64()
                .and_then(|index| u32::try_from(index).ok());
            let index = index.and_then(|index| usize::try_from(index).ok());
            index.ok_or_else(|| reader.fault("a committed index that names no input"))
        })
        .collect()
}

/// A proof and behind it, if anything, the public witness.
pub(super) fn halves(curve: Curve, bytes: &[u8]) -> Option<Halves<'_>> {
    let mut reader = PointReader::new(curve, Form::Leading, bytes, "proof");
    read_proof(&mut reader).ok()?;
    let (proof, inputs) = bytes.split_at_checked(reader.bytes.offset())?;
    Some((proof, (!inputs.is_empty()).then_some(inputs)))
}
