//! Public inputs: how many were given, and their words when all are below r.

use super::decimal;
use super::malformed;
use crate::curve::Curve;
use crate::json::Json;
use crate::number::Word;
use crate::verdict::Refusal;

/// Public inputs as given.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    pub(crate) count: usize,
    /// Each 32 bytes big-endian; `None` when one is not below r.
    pub(crate) words: Option<Vec<[u8; 32]>>,
}

impl Inputs {
    /// None at all.
    pub(super) fn none() -> Self {
        Self::of(Curve::Bn254, std::iter::empty())
    }

    /// Of numbers; `None` stands for one of 2^256 or more.
    pub(super) fn of(curve: Curve, numbers: impl Iterator<Item = Option<Word>>) -> Self {
        let mut inputs = Self {
            count: 0,
            words: Some(Vec::new()),
        };
        for number in numbers {
            inputs.count += 1;
            match (number, &mut inputs.words) {
                (Some(word), Some(words)) if word.is_below(curve.r()) => words.push(word.to_be()),
                _ => inputs.words = None,
            }
        }
        inputs
    }

    /// Of an array of canonical decimals.
    pub(super) fn of_decimals(curve: Curve, inputs: &Json) -> Result<Self, Refusal> {
        let items = inputs
            .as_array()
            .ok_or_else(|| malformed("publicInputs: expected an array"))?;
        let numbers = items.iter().map(|item| {
            let text = item
                .as_text()
                .ok_or_else(|| malformed("publicInputs: expected decimal strings"))?;
            decimal::word(text).ok_or_else(|| malformed("publicInputs: not a canonical decimal"))
        });
        let numbers = numbers.collect::<Result<Vec<_>, _>>()?;
        Ok(Self::of(curve, numbers.into_iter()))
    }
}
