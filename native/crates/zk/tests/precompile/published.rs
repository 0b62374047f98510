//! The vectors for other implementations of the encoder.

use cairn_zk::precompile::{gas, run};
use serde_json::{Value, json};

use crate::batches::{check_excluded, mixed, sound};
use crate::support::{self, Batch, Slot, envelopes, excluded_leaf, hex, verified};

const BASE: &str = "g16-bn254-sj-poseidon_preimage-0";

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
