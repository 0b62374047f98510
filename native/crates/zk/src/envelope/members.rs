//! The members of a submitted object: their names, and what is refused when one is taken.

use super::{Envelope, malformed};
use crate::hex;
use crate::json::Json;
use crate::registry;
use crate::verdict::Refusal;
use std::collections::BTreeMap;

/// Longest label (`version`) taken.
const MAX_LABEL_BYTES: usize = 64;

const INPUTS: [&str; 4] = [
    "publicInputs",
    "public_inputs",
    "publicSignals",
    "public_signals",
];

const VK_HASH: [&str; 2] = ["vkHash", "vk_hash"];

/// How a proof names its key.
#[derive(Debug)]
pub(crate) enum KeyReference {
    /// The key itself, and the hash given beside it.
    Given { key: Json, hash: Option<[u8; 32]> },
    /// The hash of a registered key.
    Registered([u8; 32]),
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

    /// Whether a member is there.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A member that is an object.
    pub(super) fn object(&self, name: &str) -> Option<&BTreeMap<String, Json>> {
        self.0.get(name).and_then(Json::as_object)
    }

    /// Adds a member that is not there.
    pub(super) fn add(&mut self, name: &str, value: Json) {
        self.0.insert(name.to_owned(), value);
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
        decoder.check_version(self.label(&["version"])?.as_deref())?;
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
