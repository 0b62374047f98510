//! The batches of these tests, and what comes out of one.

use cairn_zk::precompile::run;

use crate::support::{
    Batch, Slot, commitment, envelopes, envelopes_of, excluded_leaf, root, verified,
};

/// A valid proof, a commitment, a valid proof of another key; the middle one is paid for by payer 0, the last by 1.
pub fn sound() -> Batch {
    let mut batch = Batch {
        payers: 2,
        ..Batch::default()
    };
    let multiplier = envelopes(|id| id == "g16-bn254-sj-multiplier-00")
        .remove(0)
        .1;
    let poseidon = envelopes(|id| id == "g16-bn254-sj-poseidon_preimage-00")
        .remove(0)
        .1;
    batch.push(&verified(&poseidon));
    let slot = batch.push(&commitment(&format!("0x{}", "ab".repeat(32))));
    (slot.payer, slot.price) = (0, 5);
    let slot = batch.push(&verified(&multiplier));
    (slot.payer, slot.price) = (1, u128::MAX);
    batch
}

/// Both curves, with and without commitments, sixteen inputs, a false proof and a commitment's value.
pub fn mixed() -> Batch {
    let one = |file: &str, id: &str| verified(&envelopes_of(file, |known| known == id).remove(0).1);
    let commitments = "groth16-gnark-commitments";
    let mut batch = Batch::default();
    batch.push(&one(
        commitments,
        "g16-bn254-gnark-commit-three-compressed-00",
    ));
    batch.push(&one(
        "groth16-snarkjs-json-bls12-381",
        "g16-bls-sj-poseidon_preimage-00",
    ));
    batch.push(&one(commitments, "g16-bls12-381-gnark-commit-one-raw-01"));
    batch.push(&one("groth16-snarkjs-json-bn254", "g16-bn254-sj-wide16-00"));
    batch.push(&one(
        commitments,
        "g16-bls12-381-gnark-commit-three-json-02",
    ));
    batch.push(&commitment(&format!("0x{}", "cd".repeat(32))));
    let other = one(commitments, "g16-bls12-381-gnark-commit-three-json-01");
    let mut lie = batch.slots[4].clone();
    lie.value = other.canonical_proof;
    batch.slots.push(lie);
    batch
}

pub struct Output {
    pub root: [u8; 32],
    pub included: Vec<bool>,
    pub verified: u32,
    pub commitments: u32,
    /// Count, total, highest.
    pub charges: Vec<(u32, Vec<u8>, u128)>,
}

fn parse(bytes: &[u8], slots: usize, payers: usize) -> Output {
    let bitmap = 32 + slots.div_ceil(8);
    assert_eq!(bytes.len(), bitmap + 8 + 52 * payers);
    let u32_at = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
    let charge = |part: &[u8]| {
        let count = u32::from_be_bytes(part[..4].try_into().expect("4 bytes"));
        (
            count,
            part[4..36].to_vec(),
            u128::from_be_bytes(part[36..].try_into().expect("16 bytes")),
        )
    };
    Output {
        root: bytes[..32].try_into().expect("32 bytes"),
        included: (0..slots)
            .map(|i| bytes[32 + i / 8] >> (i % 8) & 1 == 1)
            .collect(),
        verified: u32_at(bitmap),
        commitments: u32_at(bitmap + 4),
        charges: bytes[bitmap + 8..].chunks(52).map(charge).collect(),
    }
}

pub fn output(batch: &Batch) -> Output {
    let bytes = run(&batch.encode()).expect("the framing is right");
    parse(&bytes, batch.slots.len(), usize::from(batch.payers))
}

/// Only this slot is excluded, and the root shows it.
pub fn check_excluded(batch: &Batch, excluded: usize, why: &str) {
    let output = output(batch);
    let expected: Vec<_> = (0..batch.slots.len()).map(|i| i != excluded).collect();
    assert_eq!(output.included, expected, "{why}");
    let leaf = |(slot, included): (&Slot, &bool)| {
        if *included {
            slot.leaf()
        } else {
            excluded_leaf()
        }
    };
    let leaves: Vec<_> = batch.slots.iter().zip(&expected).map(leaf).collect();
    assert_eq!(output.root, root(&leaves), "{why}");
}
