//! `proof_data` to its parts: the JSON envelope, or a bare artifact recognised by its shape or by the integration's
//! profile. Owns the names of the members and their order of refusal; no proof system's contents.

use std::collections::BTreeMap;

use crate::hex;
use crate::json::Json;
use crate::registry::{self, Decoder};
use crate::verdict::{ErrorCode, Refusal};
use crate::{Item, Profile};

/// Longest label (`version`) taken.
const MAX_LABEL_BYTES: usize = 64;

/// A submitted artifact, its labels resolved.
#[derive(Debug)]
pub(crate) struct Envelope {
    pub(crate) decoder: Decoder,
    pub(crate) curve: Option<String>,
    pub(crate) members: Members,
}

/// How a proof names its key.
#[derive(Debug)]
pub(crate) enum KeyReference {
    /// The key itself, and the hash given beside it.
    Given { key: Json, hash: Option<[u8; 32]> },
    /// The hash of a registered key.
    Registered([u8; 32]),
}

const INPUTS: [&str; 4] = [
    "publicInputs",
    "public_inputs",
    "publicSignals",
    "public_signals",
];
const VK_HASH: [&str; 2] = ["vkHash", "vk_hash"];

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

/// The members of an object that are not taken yet.
#[derive(Debug, Default)]
pub(crate) struct Members(BTreeMap<String, Json>);

impl Members {
    /// Of a JSON object.
    pub(crate) fn parse(text: &str) -> Result<Self, Refusal> {
        match Json::parse(text).map_err(malformed)? {
            Json::Object(members) => Ok(Self(members)),
            _ => Err(malformed("expected a JSON object")),
        }
    }

    fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    fn object(&self, name: &str) -> Option<&BTreeMap<String, Json>> {
        self.0.get(name).and_then(Json::as_object)
    }

    /// Takes a member known under several names, of which only one may be given; null is absence.
    pub(crate) fn take(&mut self, names: &[&str]) -> Result<Option<Json>, Refusal> {
        let mut found = names.iter().filter_map(|name| self.0.remove(*name));
        let first = found.next();
        if found.next().is_some() {
            return Err(malformed(format!("given twice: {}", names.join(", "))));
        }
        Ok(first.filter(|value| *value != Json::Null))
    }

    /// As [`Self::take`], of a member that must be there.
    pub(crate) fn required(&mut self, names: &[&str]) -> Result<Json, Refusal> {
        self.take(names)?
            .ok_or_else(|| malformed(format!("missing: {}", names.join(" or "))))
    }

    /// A short text.
    pub(crate) fn label(&mut self, names: &[&str]) -> Result<Option<String>, Refusal> {
        match self.take(names)? {
            None => Ok(None),
            Some(Json::Text(text)) if text.len() <= MAX_LABEL_BYTES => Ok(Some(text)),
            Some(_) => Err(malformed(format!(
                "{}: expected a short text",
                names.join(" or ")
            ))),
        }
    }

    /// The public inputs under any of their names.
    pub(crate) fn inputs(&mut self) -> Result<Option<Json>, Refusal> {
        self.take(&INPUTS)
    }

    /// The key or the hash of one.
    pub(crate) fn key(&mut self) -> Result<KeyReference, Refusal> {
        let hash = self
            .take(&VK_HASH)?
            .map(|value| parse_hash(&value))
            .transpose()?;
        match (self.take(&["vk"])?, hash) {
            (Some(key), hash) => Ok(KeyReference::Given { key, hash }),
            (None, Some(hash)) => Ok(KeyReference::Registered(hash)),
            (None, None) => Err(malformed("missing: vk or vkHash")),
        }
    }

    /// Resolves the labels of an envelope.
    pub(crate) fn envelope(&mut self) -> Result<Envelope, Refusal> {
        let system = self
            .label(&["system"])?
            .ok_or_else(|| malformed("missing: system"))?;
        let system = registry::system(&system)?;
        let encoding = self.label(&["encoding"])?;
        let decoder = system.decoder(encoding.as_deref())?;
        self.label(&["version"])?;
        let curve = self.label(&["field", "curve"])?;
        Ok(Envelope {
            decoder,
            curve: curve.filter(|name| !name.is_empty()),
            members: std::mem::take(self),
        })
    }
}

fn parse_hash(value: &Json) -> Result<[u8; 32], Refusal> {
    let bytes = value.as_text().and_then(hex::decode_prefixed);
    bytes
        .and_then(|bytes| bytes.try_into().ok())
        .ok_or_else(|| malformed("vkHash: expected 0x and 64 hex digits"))
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
    members.0.insert("proof".to_owned(), text(proof));
    if let Some(inputs) = inputs {
        members.0.insert("publicInputs".to_owned(), text(inputs));
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
        members.0.insert("vkHash".to_owned(), hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> ErrorCode {
        crate::submission::decode(&Item::of(text))
            .err()
            .expect("refused")
            .code
    }

    #[test]
    fn what_is_no_envelope_and_no_artifact_is_unrecognised() {
        for text in [
            "",
            "0xdeadbeef",
            "AAAA",
            "[1]",
            "\"text\"",
            "{}",
            r#"{"proof":"0x00"}"#,
            r#"{"a":1}"#,
        ] {
            assert_eq!(code(text), ErrorCode::UnrecognisedFormat, "{text}");
        }
    }

    #[test]
    fn a_broken_envelope_is_malformed() {
        for text in [
            "{",
            r#"{"system":1}"#,
            r#"{"encoding":"snarkjs-json"}"#,
            r#"{"system":"groth16"}"#,
            r#"{"system":"groth16","system":"groth16"}"#,
            r#"{"system":"groth16","encoding":"snarkjs-json","proof":{},"vk":{}}"#,
            r#"{"system":"groth16","encoding":"snarkjs-json","proof":{},"publicInputs":[]}"#,
            r#"{"system":"groth16","encoding":"snarkjs-json","proof":{},"publicInputs":[],"vkHash":"0x00"}"#,
            r#"{"system":"groth16","encoding":"snarkjs-json","proof":{},"publicInputs":[],"public_inputs":[],"vk":{}}"#,
            r#"{"system":"commitment"}"#,
            r#"{"system":"commitment","value":"0x00","proof":"0x00"}"#,
            r#"{"system":"groth16","encoding":"gnark-binary","proof":"0x00","vk":"0x"}"#,
            r#"{"system":"groth16","encoding":"gnark-binary","proof":"0x"}"#,
        ] {
            assert_eq!(code(text), ErrorCode::Malformed, "{text}");
        }
    }

    #[test]
    fn other_systems_and_encodings_are_named_as_such() {
        assert_eq!(code(r#"{"system":"sp1"}"#), ErrorCode::UnsupportedSystem);
        assert_eq!(
            code(r#"{"system":"Groth16","encoding":"snarkjs-json"}"#),
            ErrorCode::UnsupportedSystem
        );
        assert_eq!(
            code(r#"{"proof":{"protocol":"plonk","A":[]}}"#),
            ErrorCode::UnsupportedSystem
        );
        assert_eq!(
            code(r#"{"system":"groth16","encoding":"halo2"}"#),
            ErrorCode::UnsupportedEncoding
        );
        assert_eq!(
            code(r#"{"system":"commitment","encoding":"base64","value":"AA=="}"#),
            ErrorCode::UnsupportedEncoding
        );
    }
}
