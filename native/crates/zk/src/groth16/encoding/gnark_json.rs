//! gnark's proofs and keys as Go writes them in JSON. Field elements are decimal strings, or numbers when they have at
//! most 15 digits; a point with zero coordinates is infinity.

use std::collections::BTreeMap;

use super::decimal;
use super::points::{Point, Points, or_infinity};
use super::{Artifact, Inputs, Key, key_of, malformed, proof_of};
use crate::curve::{Coordinate, Curve};
use crate::groth16::canonical::MAX_COMMITMENTS;
use crate::json::Json;
use crate::verdict::Refusal;

/// Go writes smaller numbers as such.
const NUMBERS_BELOW: u64 = 1_000_000_000_000_000;

type Members = BTreeMap<String, Json>;

/// Decodes a proof and its public inputs, decimals in an array.
pub(super) fn artifact(
    curve: Curve,
    proof: &Json,
    inputs: Option<&Json>,
) -> Result<Artifact, Refusal> {
    let members = object(proof, "proof")?;
    let mut points = Points::new(curve);
    points.g1(&g1(curve, member(members, "Ar", "proof")?, "proof.Ar")?);
    points.g2(&g2(curve, member(members, "Bs", "proof")?, "proof.Bs")?);
    points.g1(&g1(curve, member(members, "Krs", "proof")?, "proof.Krs")?);
    let commitments = optional_array(members, "Commitments", "proof")?;
    if commitments.len() > MAX_COMMITMENTS {
        return Err(malformed("proof.Commitments: too many"));
    }
    let knowledge = match members.get("CommitmentPok") {
        None | Some(Json::Null) => Point::Infinity,
        Some(point) => g1(curve, point, "proof.CommitmentPok")?,
    };
    if commitments.is_empty() {
        if !matches!(knowledge, Point::Infinity) {
            return Err(malformed("proof.CommitmentPok: without a commitment"));
        }
    } else {
        points.count(commitments.len());
        for commitment in commitments {
            points.g1(&g1(curve, commitment, "proof.Commitments")?);
        }
        points.g1(&knowledge);
    }
    let (proof, off_curve) = proof_of(points)?;
    let inputs = inputs.map(|inputs| Inputs::of_decimals(curve, inputs));
    Ok(Artifact {
        proof,
        inputs: inputs.transpose()?.unwrap_or_else(Inputs::none),
        off_curve,
    })
}

/// Decodes a verification key. `CommitmentKey` is that of gnark 0.10, whose points have changed places since.
pub(super) fn key(curve: Curve, key: &Json) -> Result<Key, Refusal> {
    let members = object(key, "vk")?;
    let of_g1 = object(member(members, "G1", "vk")?, "vk.G1")?;
    let of_g2 = object(member(members, "G2", "vk")?, "vk.G2")?;
    let ic = member(of_g1, "K", "vk.G1")?
        .as_array()
        .ok_or_else(|| malformed("vk.G1.K: expected an array"))?;
    let mut points = Points::new(curve);
    points.count(ic.len());
    points.g1(&g1(curve, member(of_g1, "Alpha", "vk.G1")?, "vk.G1.Alpha")?);
    for name in ["Beta", "Gamma", "Delta"] {
        points.g2(&g2(curve, member(of_g2, name, "vk.G2")?, name)?);
    }
    for point in ic {
        points.g1(&g1(curve, point, "vk.G1.K")?);
    }
    let committed = optional_array(members, "PublicAndCommitmentCommitted", "vk")?;
    points.count(committed.len());
    let keys = commitment_keys(members, committed.len())?;
    for (pedersen, indices) in keys.iter().zip(committed) {
        for name in pedersen.names {
            let at = format!("vk.CommitmentKeys.{name}");
            points.g2(&g2(
                curve,
                member(pedersen.members, name, "vk.CommitmentKeys")?,
                &at,
            )?);
        }
        push_indices(&mut points, indices)?;
    }
    key_of(points)
}

/// A Pedersen key and the names of what stands for G and GSigmaNeg.
struct Pedersen<'a> {
    members: &'a Members,
    names: [&'static str; 2],
}

fn commitment_keys(members: &Members, count: usize) -> Result<Vec<Pedersen<'_>>, Refusal> {
    let keys = optional_array(members, "CommitmentKeys", "vk")?;
    let old = members
        .get("CommitmentKey")
        .filter(|key| **key != Json::Null);
    if let (Some(key), true, true) = (old, keys.is_empty(), count <= 1) {
        let members = object(key, "vk.CommitmentKey")?;
        let key = Pedersen {
            members,
            names: ["GRootSigmaNeg", "G"],
        };
        return Ok((0..count).map(|_| Pedersen { ..key }).collect());
    }
    if keys.len() != count {
        return Err(malformed(
            "vk.CommitmentKeys: expected one per list of committed inputs",
        ));
    }
    keys.iter()
        .map(|key| {
            let members = object(key, "vk.CommitmentKeys")?;
            let sigma = if members.contains_key("GSigmaNeg") {
                "GSigmaNeg"
            } else {
                "GSigma"
            };
            Ok(Pedersen {
                members,
                names: ["G", sigma],
            })
        })
        .collect()
}

fn push_indices(points: &mut Points, indices: &Json) -> Result<(), Refusal> {
    let fault = || malformed("vk.PublicAndCommitmentCommitted: expected lists of small numbers");
    let items = match indices {
        Json::Null => &[][..],
        indices => indices.as_array().ok_or_else(fault)?,
    };
    points.count(items.len());
    for item in items {
        let Json::Number(Some(index)) = item else {
            return Err(fault());
        };
        let index = u32::try_from(*index)
            .ok()
            .and_then(|i| usize::try_from(i).ok());
        points.count(index.ok_or_else(fault)?);
    }
    Ok(())
}

fn g1(curve: Curve, value: &Json, at: &str) -> Result<Point<Coordinate>, Refusal> {
    let members = object(value, at)?;
    let x = element(curve, member(members, "X", at)?, at)?;
    let y = element(curve, member(members, "Y", at)?, at)?;
    Ok(or_infinity(x, y, &[0; 48]))
}

fn g2(curve: Curve, value: &Json, at: &str) -> Result<Point<[Coordinate; 2]>, Refusal> {
    let members = object(value, at)?;
    let pair = |name: &str| {
        let parts = object(member(members, name, at)?, at)?;
        Ok([
            element(curve, member(parts, "A0", at)?, at)?,
            element(curve, member(parts, "A1", at)?, at)?,
        ])
    };
    Ok(or_infinity(pair("X")?, pair("Y")?, &[[0; 48]; 2]))
}

fn element(curve: Curve, value: &Json, at: &str) -> Result<Coordinate, Refusal> {
    match value {
        Json::Number(Some(number)) if *number < NUMBERS_BELOW => {
            decimal::of_text(curve, &number.to_string(), at)
        }
        Json::Number(_) => Err(malformed(format!(
            "{at}: a number that is not exact in JSON"
        ))),
        value => decimal::coordinate(curve, value, at),
    }
}

fn object<'a>(value: &'a Json, at: &str) -> Result<&'a Members, Refusal> {
    value
        .as_object()
        .ok_or_else(|| malformed(format!("{at}: expected an object")))
}

fn member<'a>(members: &'a Members, name: &str, of: &str) -> Result<&'a Json, Refusal> {
    members
        .get(name)
        .ok_or_else(|| malformed(format!("{of}.{name}: missing")))
}

/// Go writes an empty list as null or leaves it out.
fn optional_array<'a>(members: &'a Members, name: &str, of: &str) -> Result<&'a [Json], Refusal> {
    match members.get(name) {
        None | Some(Json::Null) => Ok(&[]),
        Some(value) => value
            .as_array()
            .ok_or_else(|| malformed(format!("{of}.{name}: expected an array"))),
    }
}
