//! Published cases: reading them, and holding one against its verdict, alone, among others, bare and by its key's hash.

use std::path::{Path, PathBuf};

use cairn_zk::{Item, Profile, Verdict, decode_key, verify_items, verify_submissions};
use serde_json::{Map, Value, json};

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

pub struct Case {
    pub id: String,
    pub members: Map<String, Value>,
    pub text: String,
    pub accepted: Vec<String>,
}

pub fn own_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../test/vectors/proofs")
}

pub fn read(path: &Path) -> Vec<Case> {
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
    let id = text_of(&case["id"]);
    let kept = case
        .into_iter()
        .filter(|(name, _)| MEMBERS.contains(&name.as_str()));
    let members: Map<_, _> = kept.collect();
    Case {
        id,
        text: Value::Object(members.clone()).to_string(),
        members,
        accepted,
    }
}

pub fn class(verdict: &Verdict) -> &str {
    match verdict {
        Verdict::Valid(_) => "valid",
        Verdict::Invalid { code, .. } => code.as_str(),
    }
}

pub fn check(cases: &[Case]) {
    let texts: Vec<_> = cases.iter().map(|case| case.text.as_str()).collect();
    let together = verify_submissions(&texts);
    for (case, verdict) in cases.iter().zip(&together) {
        assert!(
            case.accepted.iter().any(|c| c == class(verdict)),
            "{}: {verdict:?}, not {:?}",
            case.id,
            case.accepted
        );
        let alone = verify_submissions(&[&case.text]);
        assert_eq!(
            &alone[..],
            std::slice::from_ref(verdict),
            "{} alone",
            case.id
        );
        check_bare(case, verdict);
        check_by_hash(case, verdict);
    }
}

/// The same parts without labels, recognised by their shape.
fn check_bare(case: &Case, verdict: &Verdict) {
    let labelled = case.id.ends_with("curve-label") || case.id.ends_with("protocol-label");
    let proof = &case.members["proof"];
    let shaped =
        proof.get("pi_a").is_some() || proof.get("Ar").is_some() && proof.get("Krs").is_some();
    if labelled || !shaped || !case.members.contains_key("vk") {
        return;
    }
    let [inputs, vk] = ["publicInputs", "vk"].map(|name| case.members[name].clone());
    let bare = json!({ "proof": proof, "publicSignals": inputs, "vk": vk }).to_string();
    let item = Item {
        profile: Some(Profile {
            system: "groth16",
            curve: case.members["curve"].as_str(),
            encoding: "other",
            vk_hash: None,
        }),
        ..Item::of(&bare)
    };
    assert_eq!(
        &verify_items(&[item])[..],
        std::slice::from_ref(verdict),
        "{} bare",
        case.id
    );
}

/// The key registered and named by its hash.
fn check_by_hash(case: &Case, verdict: &Verdict) {
    let mut members = case.members.clone();
    let Some(vk) = members.remove("vk") else {
        return;
    };
    let body = json!({ "system": "groth16", "curve": members["curve"], "encoding": members["encoding"], "vk": vk });
    let Ok(key) = decode_key(&body.to_string()) else {
        assert_ne!(
            class(verdict),
            "valid",
            "{}: a key that is not taken",
            case.id
        );
        return;
    };
    let hash: String = key
        .vk_hash
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    members.insert("vkHash".to_owned(), json!(format!("0x{hash}")));
    let text = Value::Object(members).to_string();
    check_without_key(case, &text, key.vk_hash);
    let item = Item {
        key: Some(&key.canonical_key),
        ..Item::of(&text)
    };
    assert_eq!(
        &verify_items(&[item])[..],
        std::slice::from_ref(verdict),
        "{} by hash",
        case.id
    );
}

fn check_without_key(case: &Case, text: &str, hash: [u8; 32]) {
    let Verdict::Invalid {
        code, wanted_key, ..
    } = &verify_submissions(&[text])[0]
    else {
        panic!("{}: valid without its key", case.id);
    };
    if code.as_str() == "unknown-vk" {
        assert_eq!(*wanted_key, Some(hash), "{}", case.id);
    } else {
        assert_eq!(code.as_str(), "malformed", "{}", case.id);
    }
}
