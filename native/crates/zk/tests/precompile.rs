//! `VerifyProofs` against an input and output built by hand from the formats; the same case is a vector for other
//! implementations of the encoder (`test/vectors/verify-proofs`, rewritten when `CAIRN_WRITE_VECTORS` is set).
#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod support;

use cairn_zk::ErrorCode;
use cairn_zk::precompile::{gas, run, verdicts};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{
    Batch, Slot, commitment, envelopes, envelopes_of, excluded_leaf, hex, root, verified,
};

const BASE: &str = "g16-bn254-sj-poseidon_preimage-0";

/// A valid proof, a commitment, a valid proof of another key; the middle one is paid for by payer 0, the last by 1.
fn sound() -> Batch {
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

struct Output {
    root: [u8; 32],
    included: Vec<bool>,
    verified: u32,
    commitments: u32,
    /// Count, total, highest.
    charges: Vec<(u32, Vec<u8>, u128)>,
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

fn output(batch: &Batch) -> Output {
    let bytes = run(&batch.encode()).expect("the framing is right");
    parse(&bytes, batch.slots.len(), usize::from(batch.payers))
}

/// Only this slot is excluded, and the root shows it.
fn check_excluded(batch: &Batch, excluded: usize, why: &str) {
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

#[test]
fn a_sound_batch_is_verified_counted_and_charged() {
    let batch = sound();
    let output = output(&batch);
    assert_eq!(output.included, [true; 3]);
    assert_eq!((output.verified, output.commitments), (2, 1));
    assert_eq!(
        output.root,
        root(&batch.slots.iter().map(Slot::leaf).collect::<Vec<_>>())
    );
    let total = |wei: u128| [&[0; 16][..], &wei.to_be_bytes()].concat();
    assert_eq!(
        output.charges,
        [(1, total(5), 5), (1, total(u128::MAX), u128::MAX)]
    );
}

#[test]
fn a_total_does_not_overflow() {
    let mut batch = sound();
    let slot = Slot {
        payer: 1,
        price: u128::MAX,
        ..batch.slots[0].clone()
    };
    batch.slots[0] = slot;
    let total = [&[0; 15][..], &[1], &(u128::MAX - 1).to_be_bytes()].concat();
    assert_eq!(output(&batch).charges[1], (2, total, u128::MAX));
}

/// The slot it excludes, its name, the damage.
type Fault = (usize, &'static str, fn(&mut Batch));
/// Its name, the damage.
type KeyFault = (&'static str, fn(&mut (u8, Vec<u8>)));

#[test]
fn a_fault_in_a_slot_excludes_that_slot_only() {
    let faults: [Fault; 19] = [
        (0, "input changed, record too", |b| {
            let other = support::sha256(&[&[0, 0, 0, 1][..], &[0; 32]].concat());
            let at = b.slots[0].record.windows(32).position(|w| {
                w == support::sha256(&[&[0, 0, 0, 1][..], &b.slots[0].inputs].concat())
            });
            let at = at.expect("the record holds the inputs' hash");
            b.slots[0].record[at..at + 32].copy_from_slice(&other);
            b.slots[0].inputs = vec![0; 32];
        }),
        (0, "input changed", |b| b.slots[0].inputs[31] ^= 1),
        (0, "no inputs", |b| b.slots[0].inputs.clear()),
        (0, "half an input", |b| b.slots[0].inputs.truncate(16)),
        (0, "input beyond r", |b| b.slots[0].inputs[0] = 0xff),
        (0, "coordinate beyond p", |b| b.slots[0].value[0] = 0xff),
        (0, "point off the curve", |b| b.slots[0].value[31] ^= 1),
        (0, "proof too long", |b| b.slots[0].value.push(0)),
        (0, "proof at infinity", |b| b.slots[0].value = vec![0; 256]),
        (0, "another key", |b| b.slots[0].key = 1),
        (0, "no such key", |b| b.slots[0].key = 2),
        (0, "no such payer", |b| b.slots[0].payer = 2),
        (0, "unknown kind", |b| b.slots[0].kind = 3),
        (0, "called a commitment", |b| b.slots[0].kind = 2),
        (0, "record of version 2", |b| b.slots[0].record[0] = 2),
        (0, "record too long", |b| b.slots[0].record.push(0)),
        (0, "empty record", |b| b.slots[0].record.clear()),
        (1, "commitment too long", |b| b.slots[1].value = vec![1; 65]),
        (1, "commitment with inputs", |b| {
            b.slots[1].inputs = vec![0; 32]
        }),
    ];
    for (slot, why, change) in faults {
        let mut batch = sound();
        change(&mut batch);
        check_excluded(&batch, slot, why);
    }
}

#[test]
fn a_fault_in_a_key_excludes_its_slots_only() {
    let faults: [KeyFault; 6] = [
        ("unknown tag", |key| key.0 = 3),
        ("tag of the other curve", |key| key.0 = 2),
        ("count that lies", |key| key.1[3] += 1),
        ("trailing byte", |key| key.1.push(0)),
        ("point off the curve", |key| key.1[4 + 63] ^= 1),
        ("empty", |key| key.1.clear()),
    ];
    for (why, change) in faults {
        let mut batch = sound();
        change(&mut batch.keys[1]);
        check_excluded(&batch, 2, why);
    }
}

#[test]
fn what_cannot_be_split_is_refused_at_its_offset() {
    let whole = sound().encode();
    for length in 0..whole.len() {
        assert!(run(&whole[..length]).is_err(), "cut at {length}");
    }
    assert_eq!(
        run(&[&whole[..], &[0]].concat())
            .expect_err("one byte more")
            .offset,
        whole.len()
    );
    let mut version = whole.clone();
    version[0] = 2;
    assert_eq!(run(&version).expect_err("version 2").offset, 0);
    let mut none = sound();
    (none.slots, none.payers) = (Vec::new(), 0);
    assert!(run(&none.encode()).is_err(), "no slot");
    let mut payers = sound();
    payers.payers = 4;
    assert!(run(&payers.encode()).is_err(), "more payers than slots");
}

#[test]
fn counts_that_lie_are_refused_before_anything_is_allocated() {
    let keys = [&[1, 0xff, 0xff][..], &[0; 64]].concat();
    let slots = [&[1, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff][..], &[0; 64]].concat();
    let length = [&[1, 0, 1, 1, 0xff, 0xff, 0xff, 0xff][..], &[0; 64]].concat();
    for input in [keys, slots, length] {
        assert!(run(&input).is_err());
        assert!(gas(&input) < 10_000);
    }
}

#[test]
fn gas_is_the_sum_of_its_parts() {
    let batch = sound();
    let bytes = batch.encode().len() as u64;
    let points: usize = batch.keys.iter().map(|(_, key)| key.len() / 64).sum();
    let keys = 2 * 150_000 + points as u64 * 1_000;
    let proofs = 2 * (2_000 + 60_000 + 2_000);
    assert_eq!(
        gas(&batch.encode()),
        3_000 + 2 * bytes + keys + proofs + 2_000 + 2 * 500
    );
}

/// Both curves, with and without commitments, sixteen inputs, a false proof and a commitment's value.
fn mixed() -> Batch {
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

#[test]
fn curves_and_commitments_are_verified_side_by_side() {
    let batch = mixed();
    check_excluded(&batch, 6, "the false proof");
    let verdicts = verdicts(&batch.encode()).expect("the framing is right");
    assert_eq!(verdicts[6], Err(ErrorCode::InvalidProof));
    let output = output(&batch);
    assert_eq!((output.verified, output.commitments), (5, 1));
}

#[test]
fn a_fault_in_a_proof_with_commitments_excludes_it_only() {
    type Damage = (&'static str, ErrorCode, fn(&mut Slot));
    let base = 256;
    assert_eq!(mixed().slots[0].value.len(), base + 4 + 4 * 64);
    let faults: [Damage; 7] = [
        (
            "a commitment off the curve",
            ErrorCode::NotOnCurve,
            |slot| slot.value[260 + 31] ^= 1,
        ),
        (
            "a proof of knowledge of infinity",
            ErrorCode::InvalidProof,
            |slot| slot.value[260 + 192..].fill(0),
        ),
        (
            "two commitments exchanged",
            ErrorCode::InvalidProof,
            |slot| {
                let first = slot.value[260..324].to_vec();
                slot.value.copy_within(324..388, 260);
                slot.value[324..388].copy_from_slice(&first);
            },
        ),
        ("a count that lies", ErrorCode::Malformed, |slot| {
            slot.value[259] = 2
        }),
        ("without commitments", ErrorCode::Malformed, |slot| {
            slot.value.truncate(256)
        }),
        ("a commitment less", ErrorCode::Malformed, |slot| {
            slot.value.truncate(260 + 192);
            slot.value[259] = 2;
        }),
        (
            "C exchanged for a commitment",
            ErrorCode::InvalidProof,
            |slot| {
                let first = slot.value[260..324].to_vec();
                slot.value[192..256].copy_from_slice(&first);
            },
        ),
    ];
    for (why, code, change) in faults {
        let mut batch = mixed();
        batch.slots.truncate(6);
        change(&mut batch.slots[0]);
        check_excluded(&batch, 0, why);
        let verdicts = verdicts(&batch.encode()).expect("the framing is right");
        assert_eq!(verdicts[0], Err(code), "{why}");
    }
}

#[test]
fn gas_of_curves_and_commitments() {
    let batch = mixed();
    let counts = |tag: u8, keys: &[(u8, Vec<u8>)]| -> (u64, u64) {
        let size = if tag == 1 { 64 } else { 128 };
        let of_tag = keys.iter().filter(|(known, _)| *known == tag);
        of_tag.fold((0, 0), |(keys, points), (_, key)| {
            (keys + 1, points + (key.len() / size) as u64)
        })
    };
    let (bn254, bls12_381) = (gas::BN254, gas::BLS12_381);
    let (keys, points) = counts(1, &batch.keys);
    assert_eq!(keys, 2);
    let mut expected = keys * bn254.key + points * bn254.ic_point + 3 * bn254.commitment_key;
    let (keys, points) = counts(2, &batch.keys);
    assert_eq!(keys, 3);
    expected += keys * bls12_381.key + points * bls12_381.ic_point + 4 * bls12_381.commitment_key;
    expected += 7 * gas::PER_SLOT + 2 * bn254.proof + 4 * bls12_381.proof;
    let inputs = |slot: usize| (batch.slots[slot].inputs.len() / 32) as u64;
    expected += (inputs(0) + inputs(3)) * bn254.public_input + 3 * bn254.commitment;
    expected += (inputs(1) + inputs(2) + inputs(4) + inputs(6)) * bls12_381.public_input;
    expected += 7 * bls12_381.commitment;
    let input = batch.encode();
    assert_eq!(inputs(3), 16);
    assert_eq!(
        gas(&input),
        gas::BASE + gas::PER_BYTE * input.len() as u64 + expected
    );
}

fn check_published(name: &str, note: &str, batch: &Batch, included: &[bool]) {
    let slot = |slot: &Slot| {
        json!({ "kind": slot.kind, "keyIndex": slot.key, "payerIndex": slot.payer, "priceWei": slot.price.to_string(),
            "value": hex(&slot.value), "publicInputs": hex(&slot.inputs), "record": hex(&slot.record) })
    };
    let input = batch.encode();
    let leaf = |(slot, included): (&Slot, &bool)| {
        hex(&if *included {
            slot.leaf()
        } else {
            excluded_leaf()
        })
    };
    let vector = json!({
        "note": note,
        "licence": "CC0-1.0",
        "keys": batch.keys.iter().map(|(tag, key)| json!({ "tag": tag, "key": hex(key) })).collect::<Vec<Value>>(),
        "payers": batch.payers,
        "slots": batch.slots.iter().map(slot).collect::<Vec<Value>>(),
        "leaves": batch.slots.iter().zip(included).map(leaf).collect::<Vec<_>>(),
        "input": hex(&input),
        "output": hex(&run(&input).expect("the framing is right")),
        "gas": gas(&input),
    });
    let file = support::folder().join(format!("verify-proofs/{name}.json"));
    if std::env::var_os("CAIRN_WRITE_VECTORS").is_some() {
        let text = serde_json::to_string_pretty(&vector).expect("JSON") + "\n";
        std::fs::write(&file, text).expect("the vector can be written");
    }
    let published = std::fs::read_to_string(file).expect("the vector is readable");
    assert_eq!(
        serde_json::from_str::<Value>(&published).expect("JSON"),
        vector
    );
}

#[test]
fn the_published_vectors_are_what_the_code_does() {
    let mut batch = sound();
    (batch.payers, batch.slots[1].payer, batch.slots[2].payer) = (0, 0xffff, 0xffff);
    batch.slots[1].price = 0;
    batch.slots[2].price = 0;
    let (truth, value) = (batch.slots[0].clone(), batch.slots[1].clone());
    let mut lie = truth.clone();
    let other = envelopes(|id| id == format!("{BASE}1")).remove(0).1;
    lie.value = verified(&other).canonical_proof;
    batch.keys.truncate(1);
    batch.slots = vec![truth, lie, value];
    check_excluded(&batch, 1, "the false proof");
    let note =
        "a valid proof, a false one (proof of another statement) and a commitment; nobody pays";
    check_published("valid-false-commitment", note, &batch, &[true, false, true]);
    let note = "both curves, gnark commitments, sixteen public inputs, a commitment, a false proof; nobody pays";
    let included = [true, true, true, true, true, true, false];
    check_published("curves-and-commitments", note, &mixed(), &included);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_inputs_never_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let (batch, payers) = if changes.len() > 2 { (mixed(), 0) } else { (sound(), 2) };
        let mut input = batch.encode();
        for (index, byte) in changes {
            let at = index.index(input.len());
            input[at] = byte;
        }
        let _ = gas(&input);
        if let Ok(output) = run(&input) {
            prop_assert!(output.len() >= 41 && output.len() <= 41 + 52 * (payers + 5));
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let input = [&[1][..], &bytes].concat();
        let _ = gas(&input);
        let _ = run(&input);
    }
}
