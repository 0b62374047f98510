//! `proof_data` to its parts: the JSON envelope, or a bare artifact recognised by its shape or by the integration's
//! profile. Owns the names of the members and their order of refusal; no proof system's contents.

mod members;
#[cfg(test)]
mod tests;

pub(crate) use members::{KeyReference, Members};

use crate::hex;
use crate::json::Json;
use crate::registry::{self, Decoder};
use crate::verdict::{ErrorCode, Refusal};
use crate::{Item, Profile};

/// A submitted artifact, its labels resolved.
#[derive(Debug)]
pub(crate) struct Envelope {
    pub(crate) decoder: Decoder,
    pub(crate) curve: Option<String>,
    pub(crate) members: Members,
}

impl Envelope {
    /// Parses a submitted text.
    pub(crate) fn parse(item: &Item<'_>) -> Result<Self, Refusal> {
        if !item.proof_data.trim_start().starts_with('{') {
            return bare_bytes(item.proof_data, item.profile.as_ref());
        }
        let mut members = Members::parse(item.proof_data)?;
        if members.has("system") || members.has("encoding") {
            return members.envelope();
        }
        bare_object(members, item.profile.as_ref())
    }
}

fn malformed(detail: impl Into<String>) -> Refusal {
    Refusal::new(ErrorCode::Malformed, detail)
}

fn unrecognised(detail: &str) -> Refusal {
    Refusal::new(ErrorCode::UnrecognisedFormat, detail)
}

/// An object without labels: `{proof, publicSignals, vk}` as the users of a library write it, told by the members of
/// `proof`, or whatever the profile says. What the object leaves out, the profile adds.
fn bare_object(mut members: Members, profile: Option<&Profile<'_>>) -> Result<Envelope, Refusal> {
    let shape = shape_of(&members)?;
    let labels = match (shape, profile) {
        (Some(encoding), _) => Some(("groth16", encoding)),
        (None, Some(profile)) if members.has("proof") => Some((profile.system, profile.encoding)),
        (None, _) => None,
    };
    let (system, encoding) =
        labels.ok_or_else(|| unrecognised("an object without system, and of no known artifact"))?;
    let profile = profile.filter(|profile| profile.system == system);
    let curve = members.label(&["curve"])?;
    add_key_of(profile, &mut members);
    Ok(Envelope {
        decoder: registry::system(system)?.decoder(Some(encoding))?,
        curve: curve.or_else(|| Some(profile?.curve?.to_owned())),
        members,
    })
}

/// The Groth16 encoding that an artifact's members show.
fn shape_of(members: &Members) -> Result<Option<&'static str>, Refusal> {
    let Some(proof) = members.object("proof") else {
        return Ok(None);
    };
    if let Some("plonk" | "fflonk") = proof.get("protocol").and_then(Json::as_text) {
        return Err(Refusal::new(
            ErrorCode::UnsupportedSystem,
            "proof.protocol: not verified here",
        ));
    }
    let has = |name: &&str| proof.contains_key(*name);
    let split_key = members
        .object("vk")
        .is_some_and(|vk| vk.contains_key("gamma_abc_g1"));
    Ok(if ["pi_a", "pi_b", "pi_c"].iter().any(has) {
        Some("snarkjs-json")
    } else if ["Ar", "Bs", "Krs"].iter().all(has) {
        Some("gnark-json")
    } else if ["a", "b", "c"].iter().all(has) && split_key {
        Some("arkworks-binary")
    } else {
        None
    })
}

/// Bytes without an envelope: a proof and behind it its public inputs, of the profile's encoding and key.
fn bare_bytes(text: &str, profile: Option<&Profile<'_>>) -> Result<Envelope, Refusal> {
    const NO_ARTIFACT: &str = "neither an envelope nor a known artifact";
    let bytes = hex::decode_text(text.trim()).filter(|bytes| !bytes.is_empty());
    let (Some(bytes), Some(profile)) = (bytes, profile) else {
        return Err(unrecognised(NO_ARTIFACT));
    };
    let decoder = registry::system(profile.system)?.decoder(Some(profile.encoding))?;
    let (proof, inputs) = decoder.halves(profile.curve, &bytes)?;
    let mut members = Members::default();
    let text = |bytes: &[u8]| Json::Text(hex::encode_prefixed(bytes));
    members.add("proof", text(proof));
    if let Some(inputs) = inputs {
        members.add("publicInputs", text(inputs));
    }
    add_key_of(Some(profile), &mut members);
    Ok(Envelope {
        decoder,
        curve: profile.curve.map(str::to_owned),
        members,
    })
}

fn add_key_of(profile: Option<&Profile<'_>>, members: &mut Members) {
    let given = ["vk", "vkHash", "vk_hash"]
        .iter()
        .any(|name| members.has(name));
    if let Some(hash) = profile.and_then(|profile| profile.vk_hash)
        && !given
    {
        let hash = Json::Text(hex::encode_prefixed(&hash));
        members.add("vkHash", hash);
    }
}
