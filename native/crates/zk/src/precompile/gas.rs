//! Prices of `VerifyProofs` (docs/adr/0010-verify-proofs-gas.md). They cover the worst case, in which every proof is
//! false and every key is new; what is cached never changes a price. A changed price is a consensus change.

use super::framing::Input;
use super::slots::PROOF;

/// Per call.
pub const BASE: u64 = 3_000;
/// Per byte of the input: split, copied, hashed twice.
pub const PER_BYTE: u64 = 2;
/// Per key: three subgroup tests, prepared lines, three Miller loops at every level of a search.
pub const PER_KEY: u64 = 150_000;
/// Per IC point of a key: decoded, on the curve, one term of a sum.
pub const PER_IC_POINT: u64 = 1_000;
/// Per payer: its sums and their output.
pub const PER_PAYER: u64 = 500;
/// Per slot of any kind: record, leaf, its share of the tree.
pub const PER_SLOT: u64 = 2_000;
/// Per proof of Groth16 over BN254, above the slot's price: verified alone in the worst case.
pub const PER_GROTH16_BN254: u64 = 60_000;
/// Per public input of a proof: one scalar multiplication in the worst case.
pub const PER_PUBLIC_INPUT: u64 = 2_000;

/// Bytes of a G1 point.
const POINT_BYTES: usize = 64;

/// Gas of a call with this input: from its framing only, saturating. An input that cannot be split costs [`BASE`] and
/// its bytes.
#[must_use]
pub fn gas(input: &[u8]) -> u64 {
    let bytes = BASE.saturating_add(times(input.len(), PER_BYTE));
    let Ok(input) = Input::parse(input) else {
        return bytes;
    };
    let keys = input
        .keys
        .iter()
        .map(|key| PER_KEY.saturating_add(times(key.bytes.len() / POINT_BYTES, PER_IC_POINT)));
    let slots = input.slots.iter().map(|slot| match slot.kind {
        PROOF => {
            let inputs = times(slot.inputs.len().div_ceil(32), PER_PUBLIC_INPUT);
            (PER_SLOT + PER_GROTH16_BN254).saturating_add(inputs)
        }
        _ => PER_SLOT,
    });
    let payers = u64::from(input.payers).saturating_mul(PER_PAYER);
    keys.chain(slots)
        .fold(bytes.saturating_add(payers), u64::saturating_add)
}

fn times(count: usize, price: u64) -> u64 {
    u64::try_from(count)
        .unwrap_or(u64::MAX)
        .saturating_mul(price)
}
