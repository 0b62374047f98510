//! Damaged, truncated and lying artifacts of every encoding: a refusal, never a panic, no memory by a count that was
//! only claimed.

mod support;

use cairn_zk::{ErrorCode, Item, Profile, Verdict, decode_key, verify_items, verify_submissions};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::envelopes_of;

const FILES: [&str; 7] = [
    "groth16-gnark-binary-bn254",
    "groth16-gnark-binary-bls12-381",
    "groth16-arkworks-binary-bn254",
    "groth16-arkworks-binary-bls12-381",
    "groth16-gnark-json-bn254",
    "groth16-snarkjs-json-bls12-381",
    "groth16-gnark-commitments",
];

/// Valid envelopes of every encoding, some of each file.
fn pool() -> Vec<Value> {
    FILES
        .iter()
        .flat_map(|file| {
            let valid = envelopes_of(file, |id| !id.contains("-neg-"));
            let step = valid.len() / 4;
            valid
                .into_iter()
                .step_by(step)
                .map(|(_, envelope)| envelope)
        })
        .collect()
}

fn is_hex(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with("0x"))
}

/// Changes one of the parts: bytes by position, JSON by replacing a leaf. What an earlier change left empty stays so.
fn damage(envelope: &mut Value, part: &str, at: &prop::sample::Index, byte: u8, way: u8) {
    let value = &mut envelope[part];
    if is_hex(value) {
        let mut digits = value.as_str().expect("hex")[2..].to_owned();
        if digits.is_empty() {
            return;
        }
        let at = at.index(digits.len() / 2) * 2;
        match way % 4 {
            0 => digits.replace_range(at..at + 2, &format!("{byte:02x}")),
            1 => digits.truncate(at),
            2 => digits.insert_str(at, &format!("{byte:02x}")),
            _ => digits.replace_range(at..(at + 8).min(digits.len()), "ffffffff"),
        }
        *value = json!(format!("0x{digits}"));
        return;
    }
    let mut leaves = Vec::new();
    collect(value, String::new(), &mut leaves);
    if leaves.is_empty() {
        return;
    }
    let pointer = &leaves[at.index(leaves.len())];
    let leaf = value.pointer_mut(pointer).expect("a leaf");
    *leaf = match way % 7 {
        0 => Value::Null,
        1 => json!(byte),
        2 => json!("9".repeat(usize::from(byte))),
        3 => json!([leaf.clone()]),
        4 => json!({ "A0": byte }),
        5 => json!(-1),
        _ => json!(byte.to_string()),
    };
}

fn collect(value: &Value, at: String, leaves: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(i, v)| (i.to_string(), v))
            .collect(),
        Value::Object(members) => members.iter().map(|(name, v)| (name.clone(), v)).collect(),
        _ => Vec::new(),
    };
    leaves.push(at.clone());
    for (name, child) in children {
        collect(child, format!("{at}/{name}"), leaves);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_artifacts_are_refused_or_the_same_statement(
        pick in any::<prop::sample::Index>(),
        changes in prop::collection::vec((0_usize..3, any::<prop::sample::Index>(), any::<u8>(), any::<u8>()), 1..4),
    ) {
        let pool = pool();
        let mut envelope = pick.get(&pool).clone();
        for (part, at, byte, way) in &changes {
            damage(&mut envelope, ["proof", "publicInputs", "vk"][*part], at, *byte, *way);
        }
        let text = envelope.to_string();
        let alone = verify_submissions(&[&text]);
        let truth = pool[0].to_string();
        let beside = verify_submissions(&[&truth, &text, &truth]);
        prop_assert_eq!(&beside[1], &alone[0]);
        prop_assert!(matches!(beside[0], Verdict::Valid(_)) && matches!(beside[2], Verdict::Valid(_)));
        let body = json!({ "system": "groth16", "curve": envelope["curve"], "encoding": envelope["encoding"], "vk": envelope["vk"] });
        let _ = decode_key(&body.to_string());
    }

    #[test]
    fn arbitrary_bytes_are_never_taken(
        bytes in prop::collection::vec(any::<u8>(), 0..700),
        encoding in prop::sample::select(vec!["gnark-binary", "arkworks-binary", "snarkjs-json"]),
        curve in prop::sample::select(vec![Some("bn254"), Some("bls12-381"), None, Some("pasta")]),
    ) {
        let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let item = Item {
            proof_data: &text,
            profile: Some(Profile { system: "groth16", curve, encoding, vk_hash: Some([7; 32]) }),
            key: Some(&bytes),
        };
        let refused = matches!(verify_items(&[item])[0], Verdict::Invalid { .. });
        prop_assert!(refused);
    }
}

/// What stands where a count of the encoding stands is 2^32 - 1 or 2^64 - 1: refused at once.
#[test]
fn counts_beyond_the_bytes_are_refused() {
    for file in &FILES[..4] {
        let (id, envelope) = envelopes_of(file, |id| !id.contains("-neg-")).remove(0);
        for part in ["proof", "vk", "publicInputs"] {
            if !is_hex(&envelope[part]) {
                continue;
            }
            let digits = &envelope[part].as_str().expect("hex")[2..];
            for at in (0..digits.len().saturating_sub(8)).step_by(8) {
                let mut changed = envelope.clone();
                let lie = format!("0x{}ffffffff{}", &digits[..at], &digits[at + 8..]);
                changed[part] = json!(lie);
                let verdict = &verify_submissions(&[&changed.to_string()])[0];
                // A gnark key holds points that verification does not use.
                let is_valid = matches!(verdict, Verdict::Valid(_));
                assert!(part == "vk" || !is_valid, "{id} {part} at {}", at / 2);
            }
        }
    }
}

#[test]
fn deep_and_large_json_is_malformed() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let wide = format!("[{}1]", "1,".repeat(400_000));
    let long = "9".repeat(900_000);
    for part in ["proof", "publicInputs", "vk"] {
        for encoding in [
            "snarkjs-json",
            "gnark-json",
            "gnark-binary",
            "arkworks-binary",
        ] {
            for value in [
                &deep,
                &wide,
                &format!("\"{long}\""),
                &"{\"a\":".repeat(1_000),
            ] {
                let others = ["proof", "publicInputs", "vk"]
                    .iter()
                    .filter(|name| **name != part);
                let others: String = others.map(|name| format!("\"{name}\":{{}},")).collect();
                let text = format!(
                    "{{\"system\":\"groth16\",\"encoding\":\"{encoding}\",{others}\"{part}\":{value}}}"
                );
                let verdicts = verify_submissions(&[&text]);
                let Verdict::Invalid { code, .. } = &verdicts[0] else {
                    panic!("valid")
                };
                assert_eq!(*code, ErrorCode::Malformed, "{part} {encoding}");
            }
        }
    }
}
