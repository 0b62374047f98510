//! The verdict of each entry of a batch. First the sum of all; when it is false, halves: the final exponentiation is a
//! homomorphism, so the value of one half gives that of the other, and every false node costs one exponentiation.

use std::ops::Range;

use ark_ec::pairing::{MillerLoopOutput, Pairing, PairingOutput};
use ark_ff::Zero;
use rayon::prelude::*;

use super::aggregate::Aggregate;
use super::curve::{G1, G2, PairingCurve, Target};
use super::{ArkEngine, miller, scale};
use crate::groth16::engine::Entry;

/// Entries whose Miller values are kept as one product; only blocks with a false entry are computed again, singly.
const BLOCK: usize = 32;

/// e(…) of a group of entries: zero (in additive notation) when all their equations hold.
type Value<C> = PairingOutput<<C as PairingCurve>::E>;

/// One answer per entry; the entries are sorted by key.
pub(super) fn verify<C: PairingCurve>(entries: &[Entry<'_, ArkEngine<C>>]) -> Vec<bool> {
    let scaled: Vec<_> = entries
        .par_iter()
        .map(|entry| scale::weighted::<C>(&entry.proof.a, entry.weight))
        .collect();
    let b = entries.iter().map(|entry| entry.proof.b);
    let pairs: Vec<_> = scale::to_affine::<C>(&scaled).into_iter().zip(b).collect();
    let blocks = miller::products::<C>(&pairs, BLOCK);
    let mut held = vec![false; entries.len()];
    let Some(value) = finish::<C>(&blocks, entries) else {
        return held;
    };
    Search {
        entries,
        pairs,
        blocks,
    }
    .settle_blocks(0, value, &mut held);
    held
}

/// The value of entries whose fresh pairs have these Miller products; `None` cannot happen for points of the groups.
fn finish<C: PairingCurve>(
    products: &[Target<C>],
    entries: &[Entry<'_, ArkEngine<C>>],
) -> Option<Value<C>> {
    let value = products.iter().product::<Target<C>>() * Aggregate::of(entries).product();
    C::E::final_exponentiation(MillerLoopOutput(value))
}

struct Search<'a, C: PairingCurve> {
    entries: &'a [Entry<'a, ArkEngine<C>>],
    /// (weight·A, B) of each entry.
    pairs: Vec<(G1<C>, G2<C>)>,
    /// Miller product of each [`BLOCK`] entries.
    blocks: Vec<Target<C>>,
}

impl<C: PairingCurve> Search<'_, C> {
    /// Settles the entries of the blocks from `first` on, as many entries as `held` is long.
    fn settle_blocks(&self, first: usize, value: Value<C>, held: &mut [bool]) {
        if value.is_zero() {
            return held.fill(true);
        }
        if held.len() <= 1 {
            return;
        }
        let start = first * BLOCK;
        let count = held.len().div_ceil(BLOCK);
        if count == 1 {
            let pairs = self
                .pairs
                .get(start..start + held.len())
                .unwrap_or_default();
            let products = miller::products::<C>(pairs, 1);
            return self.settle(start, &products, value, held);
        }
        let half = count / 2;
        let blocks = self.blocks.get(first..first + half).unwrap_or_default();
        let Some(left_value) = self.value(blocks, start..start + half * BLOCK) else {
            return;
        };
        let (left, right) = held.split_at_mut(half * BLOCK);
        rayon::join(
            || self.settle_blocks(first, left_value, left),
            || self.settle_blocks(first + half, value - left_value, right),
        );
    }

    /// Settles the entries from `start` on, whose Miller values are `products`.
    fn settle(&self, start: usize, products: &[Target<C>], value: Value<C>, held: &mut [bool]) {
        if value.is_zero() {
            return held.fill(true);
        }
        if held.len() <= 1 {
            return;
        }
        let half = held.len() / 2;
        let (left_products, right_products) = products.split_at(half.min(products.len()));
        let Some(left_value) = self.value(left_products, start..start + half) else {
            return;
        };
        let (left, right) = held.split_at_mut(half);
        rayon::join(
            || self.settle(start, left_products, left_value, left),
            || self.settle(start + half, right_products, value - left_value, right),
        );
    }

    fn value(&self, products: &[Target<C>], entries: Range<usize>) -> Option<Value<C>> {
        finish::<C>(products, self.entries.get(entries)?)
    }
}
