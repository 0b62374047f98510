//! The precompile and the service give the same verdict code for the same proof: canonical bytes with bits flipped go
//! to the one as they are, to the other as decimals.

mod support;

use cairn_zk::precompile::verdicts;
use cairn_zk::{Verdict, Verified, verify_submissions};
use num_bigint::BigUint;
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{Batch, envelopes_of, verified};

/// One proof of each curve.
fn proofs() -> [(Value, Verified); 2] {
    ["bn254", "bls12-381"].map(|curve| {
        let file = format!("groth16-snarkjs-json-{curve}");
        let (_, envelope) =
            envelopes_of(&file, |id| id.ends_with("poseidon_preimage-00")).remove(0);
        let verified = verified(&envelope);
        (envelope, verified)
    })
}

/// A canonical point as snarkjs writes it; `pairs` of G2.
fn point(bytes: &[u8], is_bn254: bool, pairs: bool) -> Value {
    let word = if is_bn254 { 32 } else { 64 };
    let decimals: Vec<_> = bytes
        .chunks(word)
        .map(|word| BigUint::from_bytes_be(word).to_string())
        .collect();
    let is_infinity = bytes.iter().all(|byte| *byte == 0);
    let pair = |at: usize| {
        let (first, second) = (&decimals[at], &decimals[at + 1]);
        if is_bn254 {
            json!([second, first])
        } else {
            json!([first, second])
        }
    };
    match (pairs, is_infinity) {
        (false, true) => json!(["0", "1", "0"]),
        (false, false) => json!([decimals[0], decimals[1], "1"]),
        (true, true) => json!([["0", "0"], ["1", "0"], ["0", "0"]]),
        (true, false) => json!([pair(0), pair(2), ["1", "0"]]),
    }
}

fn by_service(envelope: &Value, curve: &str, proof: &[u8], input: &[u8]) -> String {
    let is_bn254 = curve == "bn254";
    let g1 = if is_bn254 { 64 } else { 128 };
    let mut changed = envelope.clone();
    changed["proof"]["pi_a"] = point(&proof[..g1], is_bn254, false);
    changed["proof"]["pi_b"] = point(&proof[g1..3 * g1], is_bn254, true);
    changed["proof"]["pi_c"] = point(&proof[3 * g1..], is_bn254, false);
    changed["publicInputs"] = json!([BigUint::from_bytes_be(input).to_string()]);
    match verify_submissions(&[&changed.to_string()]).remove(0) {
        Verdict::Valid(_) => "valid".to_owned(),
        Verdict::Invalid { code, .. } => code.to_string(),
    }
}

fn by_precompile(of: &Verified, proof: &[u8], input: &[u8]) -> String {
    let mut changed = of.clone();
    changed.public_inputs = input.to_vec();
    changed.public_inputs_hash = support::sha256(&[&[0, 0, 0, 1][..], input].concat());
    let mut batch = Batch::default();
    batch.push(&changed).value = proof.to_vec();
    match verdicts(&batch.encode()).expect("the framing is right")[0] {
        Ok(()) => "valid".to_owned(),
        Err(code) => code.to_string(),
    }
}

fn check(index: usize, flips: &[(prop::sample::Index, u8)]) {
    let (envelope, of) = &proofs()[index];
    let mut proof = of.canonical_proof.clone();
    let mut input = of.public_inputs.clone();
    for (at, bit) in flips {
        let at = at.index(proof.len() + input.len());
        match at.checked_sub(proof.len()) {
            None => proof[at] ^= 1 << (bit % 8),
            Some(at) => input[at] ^= 1 << (bit % 8),
        }
    }
    assert_eq!(
        by_precompile(of, &proof, &input),
        by_service(envelope, &of.curve, &proof, &input)
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bits_have_the_same_code(
        curve in 0_usize..2,
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
    ) {
        check(curve, &flips);
    }
}

#[test]
fn points_at_infinity_have_the_same_code() {
    for (envelope, of) in &proofs() {
        let g1 = of.canonical_proof.len() / 4;
        for range in [0..g1, g1..3 * g1, 3 * g1..4 * g1, 0..4 * g1] {
            let mut proof = of.canonical_proof.clone();
            proof[range].fill(0);
            let code = by_precompile(of, &proof, &of.public_inputs);
            assert_eq!(code, "invalid-proof");
            assert_eq!(
                code,
                by_service(envelope, &of.curve, &proof, &of.public_inputs)
            );
        }
    }
}
