//! Every published Groth16 BN254 case gets its expected verdict, alone and in batches. The cases made for the set are
//! in `test/vectors`; those of third parties are read from the folder that `CAIRN_VECTORS` names.
#![allow(clippy::expect_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cairn_zk::{Verdict, verify_submissions};
use serde_json::{Map, Value};

const MEMBERS: [&str; 8] = [
    "system",
    "curve",
    "encoding",
    "version",
    "proof",
    "publicInputs",
    "vk",
    "vkHash",
];
const FILE: &str = "groth16-snarkjs-json-bn254.jsonl";

struct Case {
    id: String,
    text: String,
    bare: Option<String>,
    accepted: Vec<String>,
}

fn own_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../test/vectors/proofs")
}

fn read(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).expect("vectors are readable");
    text.lines()
        .map(|line| parse(serde_json::from_str(line).expect("a JSON line")))
        .collect()
}

fn parse(case: Map<String, Value>) -> Case {
    let text_of = |value: &Value| value.as_str().expect("text").to_owned();
    let mut accepted = vec![text_of(&case["expected"])];
    accepted.extend(
        case.get("alsoAccepted")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(text_of),
    );
    let envelope = case
        .iter()
        .filter(|(name, _)| MEMBERS.contains(&name.as_str()));
    let envelope: Map<_, _> = envelope
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let shaped = case["proof"].get("pi_a").is_some() && case.contains_key("vk");
    let bare = shaped.then(|| {
        let [proof, inputs, vk] = ["proof", "publicInputs", "vk"].map(|name| case[name].clone());
        serde_json::json!({ "proof": proof, "publicSignals": inputs, "vk": vk }).to_string()
    });
    Case {
        id: text_of(&case["id"]),
        text: Value::Object(envelope).to_string(),
        bare,
        accepted,
    }
}

fn class(verdict: &Verdict) -> &str {
    match verdict {
        Verdict::Valid(_) => "valid",
        Verdict::Invalid { code, .. } => code.as_str(),
    }
}

fn check(cases: &[Case]) {
    let texts: Vec<_> = cases.iter().map(|case| case.text.as_str()).collect();
    let together = verify_submissions(&texts);
    for (case, verdict) in cases.iter().zip(&together) {
        assert!(
            case.accepted.iter().any(|c| c == class(verdict)),
            "{}: {verdict:?}, not {:?}",
            case.id,
            case.accepted
        );
        assert_eq!(
            &verify_submissions(&[&case.text])[..],
            std::slice::from_ref(verdict),
            "{} alone",
            case.id
        );
        let labelled = case.id.ends_with("curve-label") || case.id.ends_with("protocol-label");
        if let Some(bare) = case.bare.as_ref().filter(|_| !labelled) {
            assert_eq!(
                &verify_submissions(&[bare])[..],
                std::slice::from_ref(verdict),
                "{} bare",
                case.id
            );
        }
    }
}

#[test]
fn every_case_made_for_the_set_gets_its_verdict() {
    let cases = read(&own_folder().join(FILE));
    assert!(cases.len() > 190);
    check(&cases);
}

#[test]
fn every_case_of_third_parties_gets_its_verdict() {
    let Some(folder) = std::env::var_os("CAIRN_VECTORS") else {
        eprintln!("CAIRN_VECTORS is not set: third-party vectors are not checked");
        return;
    };
    let cases = read(&Path::new(&folder).join("proofs/cases").join(FILE));
    assert_eq!(cases.len(), 216);
    check(&cases);
}

#[test]
fn batches_name_exactly_their_false_proofs() {
    let cases: BTreeMap<_, _> = read(&own_folder().join(FILE))
        .into_iter()
        .map(|case| (case.id, case.text))
        .collect();
    let text =
        std::fs::read_to_string(own_folder().join("batches.json")).expect("vectors are readable");
    let batches: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    assert_eq!(batches.len(), 6);
    for batch in batches {
        let ids = batch["cases"]
            .as_array()
            .expect("ids")
            .iter()
            .map(|id| id.as_str().expect("an id"));
        let texts: Vec<_> = ids.map(|id| cases[id].as_str()).collect();
        let verdicts = verify_submissions(&texts);
        let invalid: Vec<_> = (0..verdicts.len())
            .filter(|i| class(&verdicts[*i]) != "valid")
            .collect();
        assert_eq!(
            serde_json::json!(invalid),
            batch["expectInvalid"],
            "{}",
            batch["name"]
        );
    }
}

#[test]
fn a_malleated_proof_is_another_proof_of_the_same_statement() {
    let cases: BTreeMap<_, _> = read(&own_folder().join(FILE))
        .into_iter()
        .map(|case| (case.id, case.text))
        .collect();
    let base = "g16-bn254-sj-poseidon_preimage-00";
    let texts = [&cases[base], &cases[&format!("{base}-neg-negate-a-and-b")]];
    let verdicts = verify_submissions(&texts.map(String::as_str));
    let [Verdict::Valid(one), Verdict::Valid(other)] = &verdicts[..] else {
        panic!("{verdicts:?}")
    };
    assert_eq!(
        (one.vk_hash, one.public_inputs_hash),
        (other.vk_hash, other.public_inputs_hash)
    );
    assert_ne!(one.proof_hash, other.proof_hash);
}
