//! Every published Groth16 case gets its expected verdict, alone, in batches and without its envelope. The cases made
//! for the set are in `test/vectors`; those of third parties are read from the folder that `CAIRN_VECTORS` names.

mod cases;

use std::collections::BTreeMap;
use std::path::Path;

use cairn_zk::{Item, Profile, Verdict, decode_key, verify_items, verify_submissions};
use cases::{Case, check, class, own_folder, read};
use serde_json::{Map, Value, json};

const SNARKJS: &str = "groth16-snarkjs-json-bn254.jsonl";
/// Each file, its cases here and in the whole set.
const FILES: [(&str, usize, usize); 8] = [
    (SNARKJS, 202, 216),
    ("groth16-snarkjs-json-bls12-381.jsonl", 76, 76),
    ("groth16-gnark-binary-bn254.jsonl", 90, 90),
    ("groth16-gnark-binary-bls12-381.jsonl", 84, 84),
    ("groth16-gnark-json-bn254.jsonl", 13, 15),
    ("groth16-gnark-json-bls12-381.jsonl", 13, 13),
    ("groth16-arkworks-binary-bn254.jsonl", 45, 45),
    ("groth16-arkworks-binary-bls12-381.jsonl", 46, 46),
];
const COMMITMENTS: &str = "groth16-gnark-commitments.jsonl";

#[test]
fn every_case_made_for_the_set_gets_its_verdict() {
    for (file, count, _) in FILES {
        let cases = read(&own_folder().join(file));
        assert_eq!(cases.len(), count, "{file}");
        check(&cases);
    }
}

#[test]
fn every_case_of_third_parties_gets_its_verdict() {
    let Some(folder) = std::env::var_os("CAIRN_VECTORS") else {
        eprintln!("CAIRN_VECTORS is not set: third-party vectors are not checked");
        return;
    };
    for (file, _, count) in FILES {
        let cases = read(&Path::new(&folder).join("proofs/cases").join(file));
        assert_eq!(cases.len(), count, "{file}");
        check(&cases);
    }
}

#[test]
fn proofs_with_commitments_hold_in_every_encoding() {
    let cases = read(&own_folder().join(COMMITMENTS));
    assert_eq!(cases.len(), 36);
    check(&cases);
}

#[test]
fn the_encodings_of_one_proof_have_the_same_canonical_bytes() {
    let cases = read(&own_folder().join(COMMITMENTS));
    for same in cases.chunks(3) {
        let texts: Vec<_> = same.iter().map(|case| case.text.as_str()).collect();
        let verdicts = verify_submissions(&texts);
        let canonical = verdicts.iter().map(|verdict| match verdict {
            Verdict::Valid(verified) => (
                verified.canonical_proof.clone(),
                verified.canonical_key.clone(),
                verified.public_inputs.clone(),
            ),
            Verdict::Invalid { detail, .. } => panic!("{detail}"),
        });
        let canonical: Vec<_> = canonical.collect();
        assert!(
            canonical.windows(2).all(|pair| pair[0] == pair[1]),
            "{}",
            same[0].id
        );
    }
}

fn classes_of(members: &[&Map<String, Value>]) -> Vec<String> {
    let text = |members: &&Map<String, Value>| Value::Object((*members).clone()).to_string();
    let texts: Vec<_> = members.iter().map(text).collect();
    let texts: Vec<_> = texts.iter().map(String::as_str).collect();
    let verdicts = verify_submissions(&texts);
    verdicts.iter().map(|v| class(v).to_owned()).collect()
}

#[test]
fn a_part_that_is_exchanged_makes_a_proof_false() {
    let cases = read(&own_folder().join(COMMITMENTS));
    let of_json = cases.iter().filter(|case| case.id.contains("json"));
    let json: Vec<_> = of_json.map(|case| &case.members).collect();
    for of_key in json.chunks(3) {
        for part in ["Ar", "Krs", "Bs", "Commitments", "CommitmentPok"] {
            let mut lie = of_key[0].clone();
            lie["proof"][part] = of_key[1]["proof"][part].clone();
            let truth = of_key[2];
            let classes = classes_of(&[truth, &lie, truth]);
            assert_eq!(classes, ["valid", "invalid-proof", "valid"], "{part}");
            assert_eq!(classes_of(&[&lie]), ["invalid-proof"], "{part} alone");
        }
    }
}

#[test]
fn commitments_in_another_order_or_number_make_a_proof_false() {
    let commitments = |members: &mut Map<String, Value>, change: fn(&mut Vec<Value>)| {
        let list = members["proof"]["Commitments"].as_array_mut();
        change(list.expect("commitments"));
    };
    let mut seen = 0;
    for case in read(&own_folder().join(COMMITMENTS)) {
        let listed = case.members["proof"]["Commitments"].as_array();
        if listed.is_none_or(|listed| listed.len() < 2) {
            continue;
        }
        seen += 1;
        let mut swapped = case.members.clone();
        commitments(&mut swapped, |list| list.swap(0, 1));
        assert_eq!(classes_of(&[&swapped]), ["invalid-proof"], "{}", case.id);
        let mut short = case.members.clone();
        commitments(&mut short, |list| drop(list.pop()));
        assert_eq!(classes_of(&[&short]), ["malformed"], "{}", case.id);
    }
    assert!(seen > 0);
}

/// A case's proof and behind it its inputs, as hex digits.
fn bare_bytes(case: &Case) -> String {
    let hex = |value: &Value| value.as_str().expect("hex")[2..].to_owned();
    let inputs = &case.members["publicInputs"];
    let tail = inputs.as_array().map_or_else(
        || hex(inputs),
        |items| {
            let count = (items.len() as u64).to_le_bytes();
            let count: String = count.iter().map(|byte| format!("{byte:02x}")).collect();
            items.iter().fold(count, |text, item| text + &hex(item))
        },
    );
    hex(&case.members["proof"]) + &tail
}

#[test]
fn bytes_without_an_envelope_are_verified_by_their_profile() {
    let files = FILES.map(|(file, _, _)| file);
    let cases = files.iter().filter(|file| file.contains("-binary-"));
    let cases = cases.flat_map(|file| read(&own_folder().join(file)));
    for case in cases.filter(|case| case.accepted == ["valid"] && !case.id.contains("mixed")) {
        let (curve, encoding) = (&case.members["curve"], &case.members["encoding"]);
        let body = json!({ "system": "groth16", "curve": curve, "encoding": encoding, "vk": case.members["vk"] });
        let key = decode_key(&body.to_string()).expect("a good key");
        let text = bare_bytes(&case);
        let item = Item {
            proof_data: &text,
            profile: Some(Profile {
                system: "groth16",
                curve: curve.as_str(),
                encoding: encoding.as_str().expect("an encoding"),
                vk_hash: Some(key.vk_hash),
            }),
            key: Some(&key.canonical_key),
        };
        let wanting = Item { key: None, ..item };
        let short = Item {
            proof_data: &text[..text.len() - 2],
            ..item
        };
        let verdicts = verify_items(&[item, wanting, short, Item::of(&text)]);
        let classes: Vec<_> = verdicts.iter().map(class).collect();
        let expected = ["valid", "unknown-vk", "malformed", "unrecognised-format"];
        assert_eq!(classes, expected, "{}", case.id);
    }
}

#[test]
fn a_proof_split_into_fields_is_the_same_proof() {
    for (file, size) in [
        ("groth16-arkworks-binary-bn254.jsonl", 32),
        ("groth16-arkworks-binary-bls12-381.jsonl", 48),
    ] {
        for case in read(&own_folder().join(file)) {
            if case.accepted != ["valid"] {
                continue;
            }
            let hex = |name: &str| case.members[name].as_str().expect("hex")[2..].to_owned();
            let (proof, vk) = (hex("proof"), hex("vk"));
            let g1 = if proof.len() == 8 * size {
                2 * size
            } else {
                4 * size
            };
            let part = |text: &str, start: usize, length: usize| {
                format!("0x{}", &text[start..start + length])
            };
            let mut members = case.members.clone();
            members["proof"] = json!({ "a": part(&proof, 0, g1), "b": part(&proof, g1, 2 * g1), "c": part(&proof, 3 * g1, g1) });
            let points: Vec<_> = (7 * g1 + 16..vk.len())
                .step_by(g1)
                .map(|start| part(&vk, start, g1))
                .collect();
            members["vk"] = json!({ "alpha_g1": part(&vk, 0, g1), "beta_g2": part(&vk, g1, 2 * g1),
                "gamma_g2": part(&vk, 3 * g1, 2 * g1), "delta_g2": part(&vk, 5 * g1, 2 * g1), "gamma_abc_g1": points });
            let split = Value::Object(members.clone()).to_string();
            let verdicts = verify_submissions(&[&case.text, &split]);
            assert_eq!(verdicts[0], verdicts[1], "{}", case.id);
            members["vk"]
                .as_object_mut()
                .expect("fields")
                .remove("delta_g2");
            let lacking = Value::Object(members).to_string();
            assert_eq!(class(&verify_submissions(&[&lacking])[0]), "malformed");
        }
    }
}

#[test]
fn batches_name_exactly_their_false_proofs() {
    let cases: BTreeMap<_, _> = read(&own_folder().join(SNARKJS))
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
    for (file, base) in [
        (SNARKJS, "g16-bn254-sj-poseidon_preimage-00"),
        (
            "groth16-snarkjs-json-bls12-381.jsonl",
            "g16-bls-sj-poseidon_preimage-00",
        ),
    ] {
        let cases: BTreeMap<_, _> = read(&own_folder().join(file))
            .into_iter()
            .map(|case| (case.id, case.text))
            .collect();
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
}
