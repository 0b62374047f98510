//! The verdict of each slot: which are well-formed and agree with their record, and which of their proofs hold. Every
//! fault inside a slot or its key excludes the slot and touches no other.

use super::framing::{Input, KeyPart, Slot};
use crate::groth16::batch::{self, Claim};
use crate::groth16::canonical::{self, KeyBytes, ProofBytes};
use crate::record::Record;
use crate::registry::groth16_of_tag;
use crate::verdict::ErrorCode;
use crate::{commitment, groth16, hash, merkle};

/// Slot kind of a proof.
pub(super) const PROOF: u8 = 1;
/// Slot kind of a commitment.
pub(super) const COMMITMENT: u8 = 2;
/// Payer index of a slot that nobody pays for on chain.
const NO_PAYER: u16 = 0xffff;

/// A slot that stays in the tree.
#[derive(Clone, Copy)]
pub(super) struct Included {
    pub(super) is_proof: bool,
    pub(super) leaf: [u8; 32],
}

/// A proof slot that agrees with its record.
struct ProofSlot<'a> {
    key: &'a KeyBytes,
    proof: ProofBytes,
    proof_hash: [u8; 32],
    inputs: &'a [[u8; 32]],
    public_inputs_hash: [u8; 32],
}

/// What keeps a slot in the tree, or why it is excluded.
pub(super) type Judged = Result<Included, ErrorCode>;

/// One answer per slot.
pub(super) fn judge(input: &Input<'_>) -> Vec<Judged> {
    let keys: Vec<_> = input.keys.iter().map(decode_key).collect();
    let proofs: Vec<_> = input
        .slots
        .iter()
        .map(|slot| proof_slot(slot, &keys, input.payers))
        .collect();
    let claims: Vec<_> = proofs.iter().flatten().map(ProofSlot::claim).collect();
    let mut outcomes = batch::verify(&claims).into_iter();
    let judge_one = |(slot, proof): (&Slot<'_>, &Option<ProofSlot<'_>>)| match proof {
        Some(proof) => outcomes
            .next()
            .unwrap_or(Err(ErrorCode::InvalidProof))
            .map(|()| Included {
                is_proof: true,
                leaf: leaf(proof.proof_hash, slot),
            }),
        None => judge_commitment(slot, input.payers).ok_or(ErrorCode::Malformed),
    };
    input.slots.iter().zip(&proofs).map(judge_one).collect()
}

impl ProofSlot<'_> {
    fn claim(&self) -> Claim<'_> {
        Claim {
            key: self.key,
            proof: &self.proof,
            proof_hash: self.proof_hash,
            inputs: self.inputs,
            public_inputs_hash: self.public_inputs_hash,
        }
    }
}

fn decode_key(key: &KeyPart<'_>) -> Option<KeyBytes> {
    KeyBytes::parse(groth16_of_tag(key.tag)?, key.bytes)
}

/// A proof slot whose parts decode and whose record says what they are.
fn proof_slot<'a>(
    slot: &Slot<'a>,
    keys: &'a [Option<KeyBytes>],
    payers: u16,
) -> Option<ProofSlot<'a>> {
    if slot.kind != PROOF || !has_payer(slot, payers) {
        return None;
    }
    let key = keys.get(usize::from(slot.key))?.as_ref()?;
    let proof = ProofBytes::parse(key.curve(), slot.value)?;
    let inputs = canonical::parse_inputs(slot.inputs)?;
    let record = Record::parse(slot.record)?;
    let public_inputs_hash = hash::public_inputs_hash(slot.inputs);
    let agrees = record.kind == PROOF
        && record.system == groth16::SYSTEM
        && record.curve == key.curve().label()
        && record.vk_hash == key.hash()
        && record.public_inputs_hash == public_inputs_hash;
    let proof_hash = hash::sha256(&[slot.value]);
    agrees.then_some(ProofSlot {
        key,
        proof,
        proof_hash,
        inputs,
        public_inputs_hash,
    })
}

/// A commitment has no inputs, and its key index is not read.
fn judge_commitment(slot: &Slot<'_>, payers: u16) -> Option<Included> {
    if slot.kind != COMMITMENT || !has_payer(slot, payers) || !slot.inputs.is_empty() {
        return None;
    }
    let record = Record::parse(slot.record)?;
    let agrees = record.kind == COMMITMENT
        && record.system == commitment::SYSTEM
        && record.encoding.is_empty()
        && record.version.is_empty()
        && record.vk_hash == [0; 32]
        && record.public_inputs_hash == [0; 32]
        && commitment::is_canonical(slot.value, record.curve);
    agrees.then(|| Included {
        is_proof: false,
        leaf: leaf(hash::sha256(&[slot.value]), slot),
    })
}

fn has_payer(slot: &Slot<'_>, payers: u16) -> bool {
    slot.payer == NO_PAYER || slot.payer < payers
}

/// H(0x00 ‖ proof_hash ‖ H(record)).
fn leaf(proof_hash: [u8; 32], slot: &Slot<'_>) -> [u8; 32] {
    merkle::leaf([proof_hash, hash::sha256(&[slot.record])].as_flattened())
}
