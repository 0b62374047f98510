//! `verifyProofs` and `decodeKey`: submissions and verification keys in, verdicts out, as JSON text.

use crate::job::Job;
use cairn_evm::JsonWriter;
use cairn_zk::{Item, KeyFacts, Profile, Verdict, Verified};
use napi::bindgen_prelude::{AsyncTask, Either, Uint8Array};
use napi_derive::napi;

/// What an integration says of artifacts without an envelope.
#[napi(object)]
pub struct ProofProfile {
    /// Proof system.
    pub system: String,
    /// Curve, where it is not the system's default.
    pub curve: Option<String>,
    /// Encoding.
    pub encoding: String,
    /// Hash of the key of proofs that bring none, 32 bytes.
    pub vk_hash: Option<Uint8Array>,
}

/// A submission to verify.
#[napi(object)]
pub struct ProofItem {
    /// The submitted text.
    pub proof_data: String,
    /// Of the integration that submitted it.
    pub profile: Option<ProofProfile>,
    /// Canonical bytes of the registered key that the proof names by hash.
    pub key: Option<Uint8Array>,
}

/// A submission with everything copied out of JavaScript's memory.
struct Owned {
    proof_data: String,
    profile: Option<OwnedProfile>,
    key: Option<Vec<u8>>,
}

struct OwnedProfile {
    system: String,
    curve: Option<String>,
    encoding: String,
    vk_hash: Option<[u8; 32]>,
}

impl From<Either<String, ProofItem>> for Owned {
    fn from(item: Either<String, ProofItem>) -> Self {
        let item = match item {
            Either::A(proof_data) => {
                return Self {
                    proof_data,
                    profile: None,
                    key: None,
                };
            }
            Either::B(item) => item,
        };
        Self {
            proof_data: item.proof_data,
            profile: item.profile.map(|profile| OwnedProfile {
                system: profile.system,
                curve: profile.curve,
                encoding: profile.encoding,
                vk_hash: profile
                    .vk_hash
                    .and_then(|hash| hash.as_ref().try_into().ok()),
            }),
            key: item.key.map(|key| key.to_vec()),
        }
    }
}

impl Owned {
    fn as_item(&self) -> Item<'_> {
        Item {
            proof_data: &self.proof_data,
            profile: self.profile.as_ref().map(|profile| Profile {
                system: &profile.system,
                curve: profile.curve.as_deref(),
                encoding: &profile.encoding,
                vk_hash: profile.vk_hash,
            }),
            key: self.key.as_deref(),
        }
    }
}

/// Decodes and verifies submissions, texts or with what belongs to them, all in one batch; one verdict per item, in
/// their order.
#[napi(js_name = "verifyProofs")]
pub fn verify_proofs(items: Vec<Either<String, ProofItem>>) -> AsyncTask<Job<String>> {
    let items: Vec<_> = items.into_iter().map(Owned::from).collect();
    Job::spawn(move || {
        let items: Vec<_> = items.iter().map(Owned::as_item).collect();
        Ok(verdicts_json(&cairn_zk::verify_items(&items)))
    })
}

/// Decodes a verification key, JSON text `{system, curve?, encoding, vk}`, and checks its points.
#[napi(js_name = "decodeKey")]
pub fn decode_key(text: String) -> AsyncTask<Job<String>> {
    Job::spawn(move || {
        let mut json = JsonWriter::with_capacity(2048);
        json.open_object();
        match cairn_zk::decode_key(&text) {
            Ok(key) => write_key(&mut json, &key),
            Err(refusal) => write_refusal(&mut json, &refusal.into()),
        }
        json.close_object();
        Ok(json.finish())
    })
}

fn verdicts_json(verdicts: &[Verdict]) -> String {
    let mut json = JsonWriter::with_capacity(verdicts.len() * 2048);
    json.open_array();
    for verdict in verdicts {
        json.open_object();
        match verdict {
            Verdict::Valid(verified) => write_verified(&mut json, verified),
            Verdict::Invalid { .. } => write_refusal(&mut json, verdict),
        }
        json.close_object();
    }
    json.close_array();
    json.finish()
}

fn write_refusal(json: &mut JsonWriter, verdict: &Verdict) {
    let Verdict::Invalid {
        code,
        detail,
        wanted_key,
    } = verdict
    else {
        return;
    };
    json.key("ok");
    json.raw("false");
    json.key("code");
    json.text(code.as_str());
    json.key("detail");
    json.text(detail);
    if let Some(hash) = wanted_key {
        json.bytes_field("vkHash", hash);
    }
}

fn write_key(json: &mut JsonWriter, key: &KeyFacts) {
    json.key("ok");
    json.raw("true");
    for (name, text) in [("system", &key.system), ("curve", &key.curve)] {
        json.key(name);
        json.text(text);
    }
    json.bytes_field("vkHash", &key.vk_hash);
    json.bytes_field("canonicalKey", &key.canonical_key);
    for (name, count) in [
        ("publicInputs", key.public_inputs),
        ("commitments", key.commitments),
    ] {
        json.key(name);
        json.raw(&count.to_string());
    }
}

fn write_verified(json: &mut JsonWriter, verified: &Verified) {
    json.key("ok");
    json.raw("true");
    let texts = [
        ("kind", verified.kind.as_str()),
        ("system", &verified.system),
        ("curve", &verified.curve),
        ("encoding", &verified.encoding),
        ("version", &verified.version),
    ];
    for (name, text) in texts {
        json.key(name);
        json.text(text);
    }
    json.bytes_field("vkHash", &verified.vk_hash);
    json.bytes_field("publicInputsHash", &verified.public_inputs_hash);
    json.bytes_field("proofHash", &verified.proof_hash);
    json.bytes_field("canonicalProof", &verified.canonical_proof);
    json.bytes_field("canonicalKey", &verified.canonical_key);
    json.bytes_field("publicInputs", &verified.public_inputs);
}
