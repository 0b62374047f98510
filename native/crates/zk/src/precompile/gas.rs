//! Prices of `VerifyProofs` (docs/adr/0010-verify-proofs-gas.md and its successor). They cover the worst case, in which
//! every proof is false and every key is new; what is cached never changes a price. A changed price is a consensus
//! change.

use super::framing::{Input, KeyPart};
use super::slots::PROOF;
use crate::curve::Curve;
use crate::groth16::canonical::{KeyLayout, commitments_of_proof};
use crate::registry::groth16_of_tag;

/// Per call.
pub const BASE: u64 = 3_000;
/// Per byte of the input: split, copied, hashed twice.
pub const PER_BYTE: u64 = 2;
/// Per payer: its sums and their output.
pub const PER_PAYER: u64 = 500;
/// Per slot of any kind: record, leaf, its share of the tree.
pub const PER_SLOT: u64 = 2_000;

/// Prices that depend on the curve.
#[derive(Clone, Copy, Debug)]
pub struct CurvePrices {
    /// Per key: three subgroup tests, prepared lines, three Miller loops at every level of a search.
    pub key: u64,
    /// Per G1 point that the key's bytes could hold: decoded, on the curve, in the subgroup, one term of a sum.
    pub ic_point: u64,
    /// Per Pedersen key, above its bytes: as the key, with two G2 points and one Miller loop.
    pub commitment_key: u64,
    /// Per proof, above its slot: verified alone in the worst case.
    pub proof: u64,
    /// Per public input of a proof: one scalar multiplication in the worst case.
    pub public_input: u64,
    /// Per commitment of a proof: hashed, decoded, in the subgroup, three multiplications at every level of a search.
    pub commitment: u64,
}

/// Groth16 over BN254; also what a key or slot costs that names no curve.
pub const BN254: CurvePrices = CurvePrices {
    key: 150_000,
    ic_point: 1_000,
    commitment_key: 90_000,
    proof: 60_000,
    public_input: 2_000,
    commitment: 20_000,
};
/// Groth16 over BLS12-381.
pub const BLS12_381: CurvePrices = CurvePrices {
    key: 250_000,
    ic_point: 5_000,
    commitment_key: 150_000,
    proof: 95_000,
    public_input: 4_000,
    commitment: 40_000,
};

const fn prices(curve: Curve) -> CurvePrices {
    match curve {
        Curve::Bn254 => BN254,
        Curve::Bls12381 => BLS12_381,
    }
}

/// Gas of a call with this input: from its framing and the counts of its keys only, saturating. An input that cannot
/// be split costs [`BASE`] and its bytes.
#[must_use]
pub fn gas(input: &[u8]) -> u64 {
    let bytes = BASE.saturating_add(times(input.len(), PER_BYTE));
    let Ok(input) = Input::parse(input) else {
        return bytes;
    };
    let keys = input.keys.iter().map(key_gas);
    let slots = input.slots.iter().map(|slot| {
        if slot.kind != PROOF {
            return PER_SLOT;
        }
        let key = input.keys.get(usize::from(slot.key));
        let curve = curve_of(key);
        let prices = prices(curve);
        let commitments = commitments_of_proof(curve, slot.value.len()).unwrap_or(0);
        (PER_SLOT + prices.proof)
            .saturating_add(times(slot.inputs.len().div_ceil(32), prices.public_input))
            .saturating_add(times(commitments, prices.commitment))
    });
    let payers = u64::from(input.payers).saturating_mul(PER_PAYER);
    keys.chain(slots)
        .fold(bytes.saturating_add(payers), u64::saturating_add)
}

fn curve_of(key: Option<&KeyPart<'_>>) -> Curve {
    key.and_then(|key| groth16_of_tag(key.tag))
        .unwrap_or(Curve::Bn254)
}

fn key_gas(key: &KeyPart<'_>) -> u64 {
    let curve = curve_of(Some(key));
    let prices = prices(curve);
    let commitments = KeyLayout::read(curve, key.bytes).map_or(0, |layout| layout.commitments);
    prices
        .key
        .saturating_add(times(key.bytes.len() / curve.g1_bytes(), prices.ic_point))
        .saturating_add(times(commitments, prices.commitment_key))
}

fn times(count: usize, price: u64) -> u64 {
    u64::try_from(count)
        .unwrap_or(u64::MAX)
        .saturating_mul(price)
}
