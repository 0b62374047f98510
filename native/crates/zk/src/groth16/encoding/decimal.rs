//! Numbers of JSON encodings.

use super::malformed;
use crate::curve::{Coordinate, Curve};
use crate::json::Json;
use crate::number::{DecimalFault, Wide, Word};
use crate::verdict::Refusal;

/// A canonical decimal; `Some(None)` when it is 2^256 or more.
pub(super) fn word(text: &str) -> Option<Option<Word>> {
    match Word::from_decimal(text) {
        Ok(word) => Some(Some(word)),
        Err(DecimalFault::TooLarge) => Some(None),
        Err(DecimalFault::NotCanonical) => None,
    }
}

/// A coordinate as decimal string.
pub(super) fn coordinate(curve: Curve, value: &Json, at: &str) -> Result<Coordinate, Refusal> {
    let text = value
        .as_text()
        .ok_or_else(|| malformed(format!("{at}: coordinates are decimal strings")))?;
    of_text(curve, text, at)
}

/// A coordinate below p.
pub(super) fn of_text(curve: Curve, text: &str, at: &str) -> Result<Coordinate, Refusal> {
    match Wide::from_decimal(text) {
        Ok(number) if number.is_below(curve.p()) => Ok(number.to_be()),
        Ok(_) | Err(DecimalFault::TooLarge) => Err(malformed(format!(
            "{at}: coordinate not below the order of the field of {}",
            curve.label()
        ))),
        Err(DecimalFault::NotCanonical) => Err(malformed(format!(
            "{at}: coordinate is not a canonical decimal"
        ))),
    }
}
