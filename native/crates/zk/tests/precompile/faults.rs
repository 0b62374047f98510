//! What a fault excludes: its own slot, or the slots of its key.

use cairn_zk::ErrorCode;
use cairn_zk::precompile::verdicts;

use crate::batches::{check_excluded, mixed, sound};
use crate::support::{self, Batch, Slot};

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

/// Its name, the verdict, the damage.
type Damage = (&'static str, ErrorCode, fn(&mut Slot));

/// Of a proof with three commitments: 256 bytes, their count, the commitments and their proof of knowledge.
const DAMAGES: [Damage; 7] = [
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

#[test]
fn a_fault_in_a_proof_with_commitments_excludes_it_only() {
    assert_eq!(mixed().slots[0].value.len(), 256 + 4 + 4 * 64);
    for (why, code, change) in DAMAGES {
        let mut batch = mixed();
        batch.slots.truncate(6);
        change(&mut batch.slots[0]);
        check_excluded(&batch, 0, why);
        let verdicts = verdicts(&batch.encode()).expect("the framing is right");
        assert_eq!(verdicts[0], Err(code), "{why}");
    }
}
