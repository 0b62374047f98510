//! Reads the vectors and builds inputs of `VerifyProofs` byte by byte from the formats.
#![allow(dead_code, reason = "each test crate uses a part of it")]

use std::path::{Path, PathBuf};

use cairn_zk::{Kind, Verdict, Verified, verify_submissions};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../test/vectors")
}

pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The envelopes of the cases whose id the filter takes, with their ids.
pub fn envelopes(take: impl Fn(&str) -> bool) -> Vec<(String, Value)> {
    envelopes_of("groth16-snarkjs-json-bn254", take)
}

/// As [`envelopes`], of another file.
pub fn envelopes_of(file: &str, take: impl Fn(&str) -> bool) -> Vec<(String, Value)> {
    let file = folder().join(format!("proofs/{file}.jsonl"));
    let text = std::fs::read_to_string(file).expect("vectors are readable");
    let cases = text
        .lines()
        .map(|line| serde_json::from_str::<Map<_, _>>(line).expect("a JSON line"));
    let members = [
        "system",
        "curve",
        "encoding",
        "proof",
        "publicInputs",
        "vk",
        "vkHash",
    ];
    let envelope = |case: Map<String, Value>| {
        let id = case["id"].as_str().expect("an id").to_owned();
        let kept = case
            .into_iter()
            .filter(|(name, _)| members.contains(&name.as_str()));
        (id, Value::Object(kept.collect()))
    };
    cases.map(envelope).filter(|(id, _)| take(id)).collect()
}

pub fn verified(envelope: &Value) -> Verified {
    match verify_submissions(&[&envelope.to_string()]).pop() {
        Some(Verdict::Valid(verified)) => *verified,
        other => panic!("{other:?}"),
    }
}

pub fn commitment(value: &str) -> Verified {
    verified(&json!({ "system": "commitment", "value": value }))
}

/// Record v1 for chain `59144`, block 7, salt 0x22….
pub fn record(of: &Verified) -> Vec<u8> {
    let mut bytes = vec![1, if of.kind == Kind::Proof { 1 } else { 2 }];
    for text in [&of.system, &of.curve, &of.encoding, &of.version] {
        put_text(&mut bytes, text);
    }
    bytes.extend(of.vk_hash);
    bytes.extend(of.public_inputs_hash);
    put_text(&mut bytes, "59144");
    bytes.push(1);
    bytes.extend(7_u64.to_be_bytes());
    bytes.extend([0x22; 32]);
    bytes
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend(u16::try_from(text.len()).expect("short").to_be_bytes());
    bytes.extend(text.as_bytes());
}

#[derive(Clone)]
pub struct Slot {
    pub kind: u8,
    pub key: u16,
    pub payer: u16,
    pub price: u128,
    pub value: Vec<u8>,
    pub inputs: Vec<u8>,
    pub record: Vec<u8>,
}

impl Slot {
    pub fn leaf(&self) -> [u8; 32] {
        sha256(&[&[0][..], &sha256(&self.value), &sha256(&self.record)].concat())
    }
}

pub fn excluded_leaf() -> [u8; 32] {
    sha256(b"\0excluded")
}

#[derive(Clone, Default)]
pub struct Batch {
    pub keys: Vec<(u8, Vec<u8>)>,
    pub payers: u16,
    pub slots: Vec<Slot>,
}

impl Batch {
    /// Adds a slot without a payer; its key once.
    pub fn push(&mut self, of: &Verified) -> &mut Slot {
        let is_proof = of.kind == Kind::Proof;
        let key = if is_proof {
            self.key_index(if of.curve == "bn254" { 1 } else { 2 }, &of.canonical_key)
        } else {
            0xffff
        };
        self.slots.push(Slot {
            kind: if is_proof { 1 } else { 2 },
            key,
            payer: 0xffff,
            price: 0,
            value: of.canonical_proof.clone(),
            inputs: of.public_inputs.clone(),
            record: record(of),
        });
        self.slots.last_mut().expect("just added")
    }

    fn key_index(&mut self, tag: u8, key: &[u8]) -> u16 {
        let found = self.keys.iter().position(|(_, bytes)| bytes == key);
        let index = found.unwrap_or_else(|| {
            self.keys.push((tag, key.to_vec()));
            self.keys.len() - 1
        });
        u16::try_from(index).expect("few keys")
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![1];
        bytes.extend(
            u16::try_from(self.keys.len())
                .expect("few keys")
                .to_be_bytes(),
        );
        for (tag, key) in &self.keys {
            bytes.push(*tag);
            put_long(&mut bytes, key);
        }
        bytes.extend(self.payers.to_be_bytes());
        bytes.extend(
            u32::try_from(self.slots.len())
                .expect("few slots")
                .to_be_bytes(),
        );
        for slot in &self.slots {
            bytes.push(slot.kind);
            bytes.extend(slot.key.to_be_bytes());
            bytes.extend(slot.payer.to_be_bytes());
            bytes.extend(slot.price.to_be_bytes());
            put_long(&mut bytes, &slot.value);
            put_long(&mut bytes, &slot.inputs);
            bytes.extend(
                u16::try_from(slot.record.len())
                    .expect("short")
                    .to_be_bytes(),
            );
            bytes.extend(&slot.record);
        }
        bytes
    }
}

fn put_long(bytes: &mut Vec<u8>, part: &[u8]) {
    bytes.extend(u32::try_from(part.len()).expect("short").to_be_bytes());
    bytes.extend(part);
}

/// RFC 6962, by its recursive definition.
pub fn root(leaves: &[[u8; 32]]) -> [u8; 32] {
    if let [leaf] = leaves {
        return *leaf;
    }
    let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
    sha256(&[&[1][..], &root(left), &root(right)].concat())
}

pub fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold("0x".to_owned(), |text, byte| text + &format!("{byte:02x}"))
}
