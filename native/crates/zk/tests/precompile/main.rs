//! `VerifyProofs` against an input and output built by hand from the formats; the same case is a vector for other
//! implementations of the encoder (`test/vectors/verify-proofs`, rewritten when `CAIRN_WRITE_VECTORS` is set).

mod batches;
mod faults;
mod published;
#[path = "../support/mod.rs"]
mod support;

use batches::{check_excluded, mixed, output, sound};
use cairn_zk::ErrorCode;
use cairn_zk::precompile::{gas, run, verdicts};
use proptest::prelude::*;
use support::{Slot, root};

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
