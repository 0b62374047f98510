//! gnark's commitments inside a Groth16 proof (BSB22): each commitment is hashed with the inputs it is bound to, the
//! hash is one more input of the circuit, and one proof of knowledge covers all of them.

use super::canonical::{KeyBytes, ProofBytes};
use super::engine::Engine;
use crate::curve::Curve;
use crate::hash_to_field::expand;

/// Domain of a commitment's hash.
const COMMITMENT_DOMAIN: &[u8] = b"bsb22-commitment";
/// Domain of the challenge that folds several commitments.
const FOLDING_DOMAIN: &[u8] = b"G16-BSB22";

/// What the commitments of a proof add to it.
pub(super) struct Hashed {
    /// The public inputs and behind them the hash of each commitment.
    pub(super) inputs: Vec<[u8; 32]>,
    pub(super) challenge: [u8; 32],
}

/// Hashes the commitments of a proof, which has as many as its key.
pub(super) fn hash<E: Engine>(
    key: &KeyBytes,
    proof: &ProofBytes,
    public_inputs: &[[u8; 32]],
) -> Hashed {
    let mut inputs = public_inputs.to_vec();
    for (commitment, of_key) in proof.knowledge().zip(key.commitments()) {
        let point = as_gnark_writes_it(key.curve(), commitment);
        let mut message = vec![point.as_slice()];
        let committed = of_key
            .committed
            .iter()
            .filter_map(|index| inputs.get(*index));
        message.extend(committed.map(<[u8; 32]>::as_slice));
        let scalar = E::reduce(&expand(&message, COMMITMENT_DOMAIN));
        inputs.push(scalar);
    }
    let hashes = inputs.get(public_inputs.len()..).unwrap_or_default();
    let challenge = E::reduce(&expand(&[hashes.as_flattened()], FOLDING_DOMAIN));
    Hashed { inputs, challenge }
}

/// gnark's uncompressed form: coordinates without padding; on BLS12-381 infinity has a flag.
fn as_gnark_writes_it(curve: Curve, point: &[u8]) -> Vec<u8> {
    const BLS12_381_INFINITY: u8 = 0x40;
    let coordinate = curve.coordinate_bytes();
    let words = point.chunks(point.len() / 2);
    let mut bytes: Vec<u8> = words
        .flat_map(|word| word.iter().skip(word.len().saturating_sub(coordinate)))
        .copied()
        .collect();
    if curve == Curve::Bls12381
        && bytes.iter().all(|byte| *byte == 0)
        && let Some(first) = bytes.first_mut()
    {
        *first = BLS12_381_INFINITY;
    }
    bytes
}
