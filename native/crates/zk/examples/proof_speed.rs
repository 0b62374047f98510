//! Time per proof through `verify_submissions`, decoding included: `proof_speed FILE.jsonl [ROUNDS]`. Pin it to one
//! core (`taskset -c 0`) for one-core figures. One JSON line per batch size.
#![allow(clippy::expect_used, clippy::indexing_slicing)]

use std::time::Instant;

use cairn_zk::{Verdict, verify_submissions};
use serde_json::{Value, json};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments
        .next()
        .expect("usage: proof_speed FILE.jsonl [ROUNDS]");
    let rounds: usize = arguments
        .next()
        .map_or(7, |text| text.parse().expect("a number of rounds"));
    let text = std::fs::read_to_string(file).expect("the vectors are readable");
    let cases = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a JSON line"));
    let texts: Vec<_> = cases
        .filter(|case| case["expected"] == "valid" && case["circuit"] == "poseidon_preimage")
        .map(|mut case| {
            let envelope = ["system", "curve", "encoding", "proof", "publicInputs", "vk"]
                .map(|n| (n, case[n].take()));
            Value::Object(
                envelope
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect(),
            )
            .to_string()
        })
        .collect();
    for (size, bad) in [(1, 0), (32, 0), (512, 0), (512, 1), (512, 16), (512, 512)] {
        let items: Vec<_> = (0..size)
            .map(|i| {
                let text = texts[i % texts.len()].clone();
                if i < bad { damaged(&text) } else { text }
            })
            .collect();
        let items: Vec<_> = items.iter().map(String::as_str).collect();
        let mut times: Vec<_> = (0..rounds)
            .map(|_| {
                let start = Instant::now();
                let verdicts = verify_submissions(&items);
                let elapsed = start.elapsed().as_secs_f64() * 1e3 / size as f64;
                assert_eq!(
                    verdicts
                        .iter()
                        .filter(|v| matches!(v, Verdict::Invalid { .. }))
                        .count(),
                    bad
                );
                elapsed
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let line = json!({ "proofs": size, "false": bad, "ms_per_proof": {
            "min": times[0], "median": times[rounds / 2], "max": times[rounds - 1] } });
        println!("{line}");
    }
}

/// The same proof with another public input.
fn damaged(text: &str) -> String {
    let mut case: Value = serde_json::from_str(text).expect("JSON");
    case["publicInputs"][0] = json!("7");
    case.to_string()
}
