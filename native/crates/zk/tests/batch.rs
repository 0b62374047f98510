//! A batch answers for each proof what verifying it alone answers, whatever stands beside it.

mod support;

use cairn_zk::{Verdict, verify_submissions};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::envelopes;

const R: &str = "21888242871839275222246405745257275088548364400416034343698204186575808495617";

/// Ways to damage an envelope; the first leaves it as it is.
fn damage(envelope: &Value, way: usize, other: &Value) -> String {
    let mut changed = envelope.clone();
    match way {
        1 => changed["proof"]["pi_a"] = other["proof"]["pi_a"].clone(),
        2 => changed["proof"]["pi_c"] = other["proof"]["pi_c"].clone(),
        3 => changed["publicInputs"] = other["publicInputs"].clone(),
        4 => changed["vk"] = other["vk"].clone(),
        5 => changed["proof"]["pi_b"] = other["proof"]["pi_b"].clone(),
        6 => changed["proof"]["pi_a"] = json!(["0", "1", "0"]),
        7 => changed["publicInputs"]
            .as_array_mut()
            .expect("inputs")
            .iter_mut()
            .for_each(|input| *input = json!(R)),
        8 => changed["proof"]["pi_a"] = json!(["1", "3", "1"]),
        9 => changed["proof"]["pi_a"] = json!(["1", "2", "1"]),
        _ => {}
    }
    changed.to_string()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn batch_verdicts_are_single_verdicts(
        picks in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0_usize..14), 1..80),
    ) {
        let pool = envelopes(|id| !id.contains("-neg-"));
        let texts: Vec<_> = (picks.iter())
            .map(|(one, other, way)| damage(&one.get(&pool).1, *way, &other.get(&pool).1))
            .collect();
        let texts: Vec<_> = texts.iter().map(String::as_str).collect();
        let together = verify_submissions(&texts);
        let alone: Vec<_> = texts.iter().flat_map(|text| verify_submissions(&[text])).collect();
        prop_assert_eq!(together, alone);
    }
}

#[test]
fn every_position_of_a_false_proof_is_found() {
    let pool =
        envelopes(|id| id.starts_with("g16-bn254-sj-poseidon_preimage-") && !id.contains("-neg-"));
    let texts: Vec<_> = (0..70)
        .map(|i| pool[i % pool.len()].1.to_string())
        .collect();
    for bad in 0..texts.len() {
        let lie = damage(&pool[0].1, 3, &pool[1].1);
        let items: Vec<_> = (0..texts.len())
            .map(|i| {
                if i == bad {
                    lie.as_str()
                } else {
                    texts[i].as_str()
                }
            })
            .collect();
        let verdicts = verify_submissions(&items);
        let found: Vec<_> = (0..items.len())
            .filter(|i| matches!(verdicts[*i], Verdict::Invalid { .. }))
            .collect();
        assert_eq!(found, [bad]);
    }
}
