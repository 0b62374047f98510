//! `proof_data` to its parts: the JSON envelope, or a bare snarkjs artifact recognised by its shape. Owns the names of
//! the members and their order of refusal; no proof system's contents.

use std::collections::BTreeMap;

use crate::json::Json;
use crate::verdict::{ErrorCode, Refusal};

/// Longest label (`version`) taken.
const MAX_LABEL_BYTES: usize = 64;

/// A submitted artifact whose system and encoding are decoded here.
#[derive(Debug)]
pub(crate) enum Envelope {
    /// Groth16 in snarkjs JSON.
    Groth16Snarkjs {
        /// The envelope's curve, if it names one.
        curve: Option<String>,
        proof: Json,
        inputs: Json,
        key: KeyReference,
    },
    /// A value to commit to.
    Commitment {
        value: Json,
        /// The field whose element it is.
        field: Option<String>,
    },
}

/// How a proof names its key.
#[derive(Debug)]
pub(crate) enum KeyReference {
    /// The key itself, and the hash given beside it.
    Given { key: Json, hash: Option<[u8; 32]> },
    /// The hash of a registered key.
    Registered,
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
    pub(crate) fn parse(text: &str) -> Result<Self, Refusal> {
        if !text.trim_start().starts_with('{') {
            return Err(Refusal::new(
                ErrorCode::UnrecognisedFormat,
                "neither an envelope nor a known artifact",
            ));
        }
        let Json::Object(members) = Json::parse(text).map_err(malformed)? else {
            return Err(malformed("expected a JSON object"));
        };
        let members = Members(members);
        if members.has("system") || members.has("encoding") {
            return members.envelope();
        }
        members.bare()
    }
}

fn malformed(detail: impl Into<String>) -> Refusal {
    Refusal::new(ErrorCode::Malformed, detail)
}

struct Members(BTreeMap<String, Json>);

impl Members {
    fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Takes a member known under several names, of which only one may be given; null is absence.
    fn take(&mut self, names: &[&str]) -> Result<Option<Json>, Refusal> {
        let mut found = names.iter().filter_map(|name| self.0.remove(*name));
        let first = found.next();
        if found.next().is_some() {
            return Err(malformed(format!("given twice: {}", names.join(", "))));
        }
        Ok(first.filter(|value| *value != Json::Null))
    }

    fn required(&mut self, names: &[&str]) -> Result<Json, Refusal> {
        self.take(names)?
            .ok_or_else(|| malformed(format!("missing: {}", names.join(" or "))))
    }

    fn label(&mut self, names: &[&str]) -> Result<Option<String>, Refusal> {
        match self.take(names)? {
            None => Ok(None),
            Some(Json::Text(text)) if text.len() <= MAX_LABEL_BYTES => Ok(Some(text)),
            Some(_) => Err(malformed(format!(
                "{}: expected a short text",
                names.join(" or ")
            ))),
        }
    }

    fn envelope(mut self) -> Result<Envelope, Refusal> {
        let system = self
            .label(&["system"])?
            .ok_or_else(|| malformed("missing: system"))?;
        match system.as_str() {
            "commitment" => self.commitment(),
            crate::groth16::SYSTEM => self.groth16(),
            _ => Err(Refusal::new(
                ErrorCode::UnsupportedSystem,
                "system: not verified here",
            )),
        }
    }

    fn groth16(mut self) -> Result<Envelope, Refusal> {
        let encoding = self
            .label(&["encoding"])?
            .ok_or_else(|| malformed("missing: encoding"))?;
        if encoding != crate::submission::SNARKJS_JSON {
            return Err(Refusal::new(
                ErrorCode::UnsupportedEncoding,
                "encoding: not decoded here for groth16",
            ));
        }
        self.label(&["version"])?;
        self.groth16_parts()
    }

    fn groth16_parts(mut self) -> Result<Envelope, Refusal> {
        let curve = self.label(&["curve"])?;
        let (proof, inputs) = (self.required(&["proof"])?, self.required(&INPUTS)?);
        let hash = self
            .take(&VK_HASH)?
            .map(|value| parse_hash(&value))
            .transpose()?;
        let key = match (self.take(&["vk"])?, hash) {
            (Some(key), hash) => KeyReference::Given { key, hash },
            (None, Some(_)) => KeyReference::Registered,
            (None, None) => return Err(malformed("missing: vk or vkHash")),
        };
        Ok(Envelope::Groth16Snarkjs {
            curve,
            proof,
            inputs,
            key,
        })
    }

    fn commitment(mut self) -> Result<Envelope, Refusal> {
        if let Some(encoding) = self.label(&["encoding"])?
            && !["", "hex"].contains(&encoding.as_str())
        {
            return Err(Refusal::new(
                ErrorCode::UnsupportedEncoding,
                "encoding: a commitment is hex or a field element",
            ));
        }
        self.label(&["version"])?;
        let field = self
            .label(&["field", "curve"])?
            .filter(|name| !name.is_empty());
        Ok(Envelope::Commitment {
            value: self.required(&["value", "proof"])?,
            field,
        })
    }

    /// `{proof, publicSignals, vk}` as snarkjs users write it, told by the members of `proof`.
    fn bare(self) -> Result<Envelope, Refusal> {
        let proof = self.0.get("proof").and_then(Json::as_object);
        let protocol = proof
            .and_then(|members| members.get("protocol"))
            .and_then(Json::as_text);
        let is_groth16 = proof.is_some_and(|members| {
            ["pi_a", "pi_b", "pi_c"]
                .iter()
                .any(|n| members.contains_key(*n))
        });
        match protocol {
            Some("plonk" | "fflonk") => Err(Refusal::new(
                ErrorCode::UnsupportedSystem,
                "proof.protocol: not verified here",
            )),
            _ if is_groth16 => self.groth16_parts(),
            _ => Err(Refusal::new(
                ErrorCode::UnrecognisedFormat,
                "an object without system, and of no known artifact",
            )),
        }
    }
}

fn parse_hash(value: &Json) -> Result<[u8; 32], Refusal> {
    let bytes = value.as_text().and_then(crate::hex::decode_prefixed);
    bytes
        .and_then(|bytes| bytes.try_into().ok())
        .ok_or_else(|| malformed("vkHash: expected 0x and 64 hex digits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> ErrorCode {
        Envelope::parse(text).expect_err("refused").code
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
            code(r#"{"system":"groth16","encoding":"gnark-binary"}"#),
            ErrorCode::UnsupportedEncoding
        );
        assert_eq!(
            code(r#"{"system":"commitment","encoding":"base64","value":"AA=="}"#),
            ErrorCode::UnsupportedEncoding
        );
    }
}
