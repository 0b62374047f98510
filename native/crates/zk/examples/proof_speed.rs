//! Time per proof through `verify_submissions`, decoding included: `proof_speed FOLDER [ROUNDS] [FILTER]` over the
//! vectors of every curve and encoding in the folder. Pin it to one core (`taskset -c 0`) for one-core figures. One
//! JSON line per batch: processor time of all threads where Linux tells it, and wall time.

use std::path::Path;
use std::time::Instant;

use cairn_zk::{Verdict, verify_submissions};
use serde_json::{Value, json};

/// File, circuit of its valid cases.
const SETS: [(&str, &str); 10] = [
    ("groth16-snarkjs-json-bn254", "poseidon_preimage"),
    ("groth16-gnark-binary-bn254", "cubic-compressed"),
    ("groth16-gnark-json-bn254", "cubic"),
    ("groth16-arkworks-binary-bn254", "quintic-compressed"),
    ("groth16-snarkjs-json-bls12-381", "poseidon_preimage"),
    ("groth16-gnark-binary-bls12-381", "cubic-compressed"),
    ("groth16-gnark-json-bls12-381", "cubic"),
    ("groth16-arkworks-binary-bls12-381", "quintic-compressed"),
    (
        "groth16-gnark-commitments",
        "bn254-gnark-commit-three-compressed",
    ),
    (
        "groth16-gnark-commitments",
        "bls12-381-gnark-commit-three-compressed",
    ),
];
/// Proofs of a batch, and how many of them are false.
const BATCHES: [(usize, usize); 7] = [
    (1, 0),
    (32, 0),
    (512, 0),
    (512, 1),
    (512, 16),
    (512, 512),
    (4096, 0),
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments
        .next()
        .expect("usage: proof_speed FOLDER [ROUNDS] [FILTER]");
    let rounds: usize = arguments
        .next()
        .map_or(7, |text| text.parse().expect("a number of rounds"));
    let filter = arguments.next().unwrap_or_default();
    for (file, circuit) in SETS {
        if format!("{file}/{circuit}").contains(&filter) {
            let texts = valid_cases(&Path::new(&folder).join(format!("{file}.jsonl")), circuit);
            for (size, bad) in BATCHES {
                measure(&format!("{file}/{circuit}"), &texts, size, bad, rounds);
            }
        }
    }
}

fn valid_cases(file: &Path, circuit: &str) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("the vectors are readable");
    let cases = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a JSON line"));
    let members = ["system", "curve", "encoding", "proof", "publicInputs", "vk"];
    cases
        .filter(|case| {
            let id = case["id"].as_str().expect("an id");
            case["expected"] == "valid" && id.contains(circuit) && !id.contains("-neg-")
        })
        .map(|case| Value::from_iter(members.map(|name| (name, case[name].clone()))).to_string())
        .collect()
}

fn measure(name: &str, texts: &[String], size: usize, bad: usize, rounds: usize) {
    let items: Vec<_> = (0..size)
        .map(|i| {
            let text = texts[i % texts.len()].clone();
            if i < bad { damaged(&text) } else { text }
        })
        .collect();
    let items: Vec<_> = items.iter().map(String::as_str).collect();
    let mut times: Vec<_> = (0..rounds)
        .map(|_| {
            let (start, busy) = (Instant::now(), processor_ms());
            let verdicts = verify_submissions(&items);
            let wall = start.elapsed().as_secs_f64() * 1e3;
            let refused = |v: &&Verdict| matches!(v, Verdict::Invalid { .. });
            assert_eq!(verdicts.iter().filter(refused).count(), bad);
            let busy = processor_ms()
                .zip(busy)
                .map_or(wall, |(after, before)| after - before);
            (busy / size as f64, wall / size as f64)
        })
        .collect();
    times.sort_by(|one, other| one.0.total_cmp(&other.0));
    let wall = times.iter().map(|time| time.1).fold(f64::MAX, f64::min);
    let line = json!({ "set": name, "proofs": size, "false": bad, "cpu_ms_per_proof": {
        "min": times[0].0, "median": times[rounds / 2].0, "max": times[rounds - 1].0 }, "wall_ms_per_proof": wall });
    println!("{line}");
}

/// Time that the threads of this process have run.
fn processor_ms() -> Option<f64> {
    let mut total = 0.0;
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        total += text.split(' ').next()?.parse::<f64>().ok()? / 1e6;
    }
    Some(total)
}

/// The same proof with another public input.
fn damaged(text: &str) -> String {
    let mut case: Value = serde_json::from_str(text).expect("JSON");
    match &mut case["publicInputs"] {
        Value::Array(inputs) => {
            let other = if inputs[0]
                .as_str()
                .is_some_and(|input| input.starts_with("0x"))
            {
                json!(format!("0x07{}", "00".repeat(31)))
            } else {
                json!("7")
            };
            inputs[0] = other;
        }
        witness => {
            let text = witness.as_str().expect("hex");
            let last = if text.ends_with('7') { "6" } else { "7" };
            *witness = json!(format!("{}{last}", &text[..text.len() - 1]));
        }
    }
    case.to_string()
}
