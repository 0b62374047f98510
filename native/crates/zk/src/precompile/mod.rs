//! The `VerifyProofs` precompile (address `0x…c000`): what every validator does with a batch that is settled.
//!
//! Input v1, integers big-endian:
//! `u8 1 ‖ u16 keys ‖ (u8 tag ‖ u32 length ‖ canonical key)* ‖ u16 payers ‖ u32 slots ‖ slot*`, where
//! `slot = u8 kind (1 proof, 2 commitment) ‖ u16 key ‖ u16 payer (0xffff none) ‖ u128 price in wei ‖
//! u32 length ‖ canonical proof or value ‖ u32 length ‖ public inputs ‖ u16 length ‖ record v1`.
//! Key tag 1 is Groth16 over BN254, 2 over BLS12-381. There is at least one slot and there are no more payers than slots.
//!
//! Output, with n slots: `root (32) ‖ bitmap (⌈n/8⌉; bit i % 8, lowest first, of byte i / 8 is set when slot i is
//! included) ‖ u32 verified ‖ u32 commitments ‖ per payer (u32 count ‖ u256 total in wei ‖ u128 highest price)`.
//! Counts and charges are those of included slots. The root is that of the RFC 6962 tree over all n leaves, an excluded
//! slot having the constant leaf H(0x00 ‖ "excluded").
//!
//! Whatever cannot be split into keys and slots reverts. Any other fault excludes the slots it touches: an unknown kind
//! or tag, an index out of range, an undecodable key or proof, a record that does not say what the slot holds, a false
//! proof. The key index of a commitment is not read (write 0xffff).

mod framing;
pub mod gas;
mod output;
mod slots;

pub use framing::FramingError;
pub use gas::gas;

use crate::verdict::ErrorCode;

/// Verifies the batch. Never panics; memory and time are bounded by the input's length and [`gas`].
///
/// # Errors
/// A fault of the framing; faults inside a slot only exclude that slot.
pub fn run(input: &[u8]) -> Result<Vec<u8>, FramingError> {
    let input = framing::Input::parse(input)?;
    let verdicts = slots::judge(&input);
    Ok(output::encode(&input, &verdicts))
}

/// The error class of each slot that [`run`] excludes, in their order. A slot that disagrees with its record, or whose
/// parts have no canonical form, counts as malformed.
///
/// # Errors
/// As of [`run`].
pub fn verdicts(input: &[u8]) -> Result<Vec<Result<(), ErrorCode>>, FramingError> {
    let input = framing::Input::parse(input)?;
    let verdicts = slots::judge(&input);
    Ok(verdicts
        .into_iter()
        .map(|verdict| verdict.map(|_| ()))
        .collect())
}
