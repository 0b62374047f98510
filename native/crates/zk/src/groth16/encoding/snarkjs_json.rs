//! snarkjs JSON (proof, public signals, verification key). Coordinates are decimal strings with z 1 or the form of
//! infinity; labels agree. `vk_alphabeta_12` is a cached pairing and is not read.

use std::collections::BTreeMap;

use super::decimal;
use super::points::{Point, Points};
use super::{Artifact, Inputs, Key, key_of, malformed, proof_of};
use crate::curve::{Coordinate, Curve};
use crate::json::Json;
use crate::verdict::Refusal;

type Members = BTreeMap<String, Json>;

/// Decodes proof and public signals.
pub(super) fn artifact(
    curve: Curve,
    proof: &Json,
    inputs: Option<&Json>,
) -> Result<Artifact, Refusal> {
    let members = proof
        .as_object()
        .ok_or_else(|| malformed("proof: expected an object"))?;
    check_labels(curve, members, "proof")?;
    let mut points = Points::new(curve);
    points.g1(&g1(curve, member(members, "pi_a", "proof")?, "proof.pi_a")?);
    points.g2(&g2(curve, member(members, "pi_b", "proof")?, "proof.pi_b")?);
    points.g1(&g1(curve, member(members, "pi_c", "proof")?, "proof.pi_c")?);
    let (proof, off_curve) = proof_of(points)?;
    let inputs = inputs.ok_or_else(|| malformed("missing: publicInputs"))?;
    Ok(Artifact {
        proof,
        inputs: Inputs::of_decimals(curve, inputs)?,
        off_curve,
    })
}

/// Decodes a verification key.
pub(super) fn key(curve: Curve, key: &Json) -> Result<Key, Refusal> {
    let members = key
        .as_object()
        .ok_or_else(|| malformed("vk: expected an object"))?;
    check_labels(curve, members, "vk")?;
    let ic = member(members, "IC", "vk")?
        .as_array()
        .ok_or_else(|| malformed("vk.IC: expected an array"))?;
    match member(members, "nPublic", "vk")? {
        Json::Number(Some(declared))
            if usize::try_from(*declared)
                .ok()
                .and_then(|n| n.checked_add(1))
                == Some(ic.len()) => {}
        _ => {
            return Err(malformed(
                "vk.nPublic: expected the number of IC points less one",
            ));
        }
    }
    let mut points = Points::new(curve);
    points.count(ic.len());
    points.g1(&g1(
        curve,
        member(members, "vk_alpha_1", "vk")?,
        "vk.vk_alpha_1",
    )?);
    for name in ["vk_beta_2", "vk_gamma_2", "vk_delta_2"] {
        points.g2(&g2(curve, member(members, name, "vk")?, name)?);
    }
    for point in ic {
        points.g1(&g1(curve, point, "vk.IC")?);
    }
    points.count(0);
    key_of(points)
}

fn member<'a>(members: &'a Members, name: &str, of: &str) -> Result<&'a Json, Refusal> {
    members
        .get(name)
        .ok_or_else(|| malformed(format!("{of}.{name}: missing")))
}

/// The labels inside say what the envelope says.
fn check_labels(curve: Curve, members: &Members, of: &str) -> Result<(), Refusal> {
    let label = |name| members.get(name);
    if label("protocol").is_some_and(|label| label.as_text() != Some(crate::groth16::SYSTEM)) {
        return Err(malformed(format!("{of}.protocol: expected \"groth16\"")));
    }
    let named = |label: &Json| label.as_text().and_then(Curve::named);
    if label("curve").is_some_and(|label| named(label) != Some(curve)) {
        return Err(malformed(format!(
            "{of}.curve: envelope, proof and key name different curves"
        )));
    }
    Ok(())
}

/// The curve that proof or key name.
pub(crate) fn labelled_curve(part: &Json) -> Option<Curve> {
    let label = part.as_object()?.get("curve")?;
    label.as_text().and_then(Curve::named)
}

const ZERO: Coordinate = [0; 48];
const ONE: Coordinate = {
    let mut one = ZERO;
    one[47] = 1;
    one
};

fn g1(curve: Curve, value: &Json, at: &str) -> Result<Point<Coordinate>, Refusal> {
    let mut parts = [ZERO; 3];
    for (part, value) in parts.iter_mut().zip(row(value, at)?) {
        *part = decimal::coordinate(curve, value, at)?;
    }
    judge(parts, &ZERO, &ONE, at)
}

fn g2(curve: Curve, value: &Json, at: &str) -> Result<Point<[Coordinate; 2]>, Refusal> {
    let mut parts = [[ZERO; 2]; 3];
    for (part, row) in parts.iter_mut().zip(row(value, at)?) {
        let Some([c0, c1]) = row.as_array() else {
            return Err(malformed(shape(at)));
        };
        *part = [
            decimal::coordinate(curve, c0, at)?,
            decimal::coordinate(curve, c1, at)?,
        ];
    }
    judge(parts, &[ZERO, ZERO], &[ONE, ZERO], at)
}

/// z is 1, or x, y and z are 0, 1 and 0.
fn judge<T: PartialEq>(
    [x, y, z]: [T; 3],
    zero: &T,
    one: &T,
    at: &str,
) -> Result<Point<T>, Refusal> {
    if z == *one {
        return Ok(Point::Affine(x, y));
    }
    if z == *zero && x == *zero && y == *one {
        return Ok(Point::Infinity);
    }
    Err(malformed(format!(
        "{at}: z is neither 1 nor that of infinity (0, 1, 0)"
    )))
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
