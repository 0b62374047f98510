//! The output of `VerifyProofs`.

use super::framing::{Input, Slot};
use super::slots::Judged;
use crate::merkle;

/// What a payer owes for its slots that are not excluded.
#[derive(Clone, Copy, Default)]
struct Charge {
    count: u32,
    /// Below 2^160: at most 2^32 prices below 2^128.
    total_low: u128,
    total_high: u128,
    highest: u128,
}

impl Charge {
    fn add(&mut self, price: u128) {
        self.count = self.count.saturating_add(1);
        let (low, carried) = self.total_low.overflowing_add(price);
        self.total_low = low;
        self.total_high = self.total_high.saturating_add(u128::from(carried));
        self.highest = self.highest.max(price);
    }
}

/// Root, bitmap, counts and charges, as the module [`super`] lays them out.
pub(super) fn encode(input: &Input<'_>, verdicts: &[Judged]) -> Vec<u8> {
    let leaves = verdicts
        .iter()
        .map(|verdict| verdict.map_or_else(|_| merkle::excluded_leaf(), |slot| slot.leaf))
        .collect();
    let mut output = merkle::root(leaves).to_vec();
    output.extend(verdicts.chunks(8).map(bitmap_byte));
    let included = || verdicts.iter().flatten();
    for of_proofs in [true, false] {
        let count = included().filter(|slot| slot.is_proof == of_proofs).count();
        output.extend_from_slice(&u32::try_from(count).unwrap_or(u32::MAX).to_be_bytes());
    }
    for charge in charges(input, verdicts) {
        output.extend_from_slice(&charge.count.to_be_bytes());
        output.extend_from_slice(&charge.total_high.to_be_bytes());
        output.extend_from_slice(&charge.total_low.to_be_bytes());
        output.extend_from_slice(&charge.highest.to_be_bytes());
    }
    output
}

fn bitmap_byte(verdicts: &[Judged]) -> u8 {
    verdicts
        .iter()
        .rev()
        .fold(0, |byte, verdict| byte << 1 | u8::from(verdict.is_ok()))
}

fn charges(input: &Input<'_>, verdicts: &[Judged]) -> Vec<Charge> {
    let mut charges = vec![Charge::default(); usize::from(input.payers)];
    let included = input
        .slots
        .iter()
        .zip(verdicts)
        .filter(|(_, verdict)| verdict.is_ok());
    for (Slot { payer, price, .. }, _) in included {
        if let Some(charge) = charges.get_mut(usize::from(*payer)) {
            charge.add(*price);
        }
    }
    charges
}
