//! `verifyProofs`: submissions in, a verdict each out, as JSON text.

use crate::job::Job;
use cairn_evm::JsonWriter;
use cairn_zk::{Verdict, Verified};
use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;

/// Decodes and verifies `proof_data` texts; one verdict per item, in their order.
#[napi(js_name = "verifyProofs")]
pub fn verify_proofs(items: Vec<String>) -> AsyncTask<Job<String>> {
    Job::spawn(move || {
        let texts: Vec<&str> = items.iter().map(String::as_str).collect();
        Ok(verdicts_json(&cairn_zk::verify_submissions(&texts)))
    })
}

fn verdicts_json(verdicts: &[Verdict]) -> String {
    let mut json = JsonWriter::with_capacity(verdicts.len() * 2048);
    json.open_array();
    for verdict in verdicts {
        json.open_object();
        match verdict {
            Verdict::Valid(verified) => write_verified(&mut json, verified),
            Verdict::Invalid { code, detail } => {
                json.key("ok");
                json.raw("false");
                json.key("code");
                json.text(code.as_str());
                json.key("detail");
                json.text(detail);
            }
        }
        json.close_object();
    }
    json.close_array();
    json.finish()
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
