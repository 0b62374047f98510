//! The verdict of each entry of a batch. First the sum of all; when it is false, halves: the final exponentiation is a
//! homomorphism, so the value of one half gives that of the other, and every false node costs one exponentiation.

use std::ops::Range;

use ark_bn254::{Bn254, Fq12, G1Affine, G2Affine};
use ark_ec::pairing::{MillerLoopOutput, Pairing, PairingOutput};
use ark_ff::Zero;
use rayon::prelude::*;

use super::aggregate::Aggregate;
use super::{ArkEngine, miller, scale};
use crate::groth16::engine::Entry;

/// Entries whose Miller values are kept as one product; only blocks with a false entry are computed again, singly.
const BLOCK: usize = 32;

/// e(…) of a group of entries: zero (in additive notation) when all their equations hold.
type Value = PairingOutput<Bn254>;

/// One answer per entry; the entries are sorted by key.
pub(super) fn verify(entries: &[Entry<'_, ArkEngine>]) -> Vec<bool> {
    let scaled: Vec<_> = entries
        .par_iter()
        .map(|entry| scale::weighted(&entry.proof.a, entry.weight))
        .collect();
    let b = entries.iter().map(|entry| entry.proof.b);
    let pairs: Vec<_> = scale::to_affine(&scaled).into_iter().zip(b).collect();
    let blocks = miller::products(&pairs, BLOCK);
    let mut held = vec![false; entries.len()];
    let Some(value) = finish(&blocks, entries) else {
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
fn finish(products: &[Fq12], entries: &[Entry<'_, ArkEngine>]) -> Option<Value> {
    let value = products.iter().product::<Fq12>() * Aggregate::of(entries).product();
    Bn254::final_exponentiation(MillerLoopOutput(value))
}

struct Search<'a> {
    entries: &'a [Entry<'a, ArkEngine>],
    /// (weight·A, B) of each entry.
    pairs: Vec<(G1Affine, G2Affine)>,
    /// Miller product of each [`BLOCK`] entries.
    blocks: Vec<Fq12>,
}

impl Search<'_> {
    /// Settles the entries of the blocks from `first` on, as many entries as `held` is long.
    fn settle_blocks(&self, first: usize, value: Value, held: &mut [bool]) {
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
            let products = miller::products(pairs, 1);
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
    fn settle(&self, start: usize, products: &[Fq12], value: Value, held: &mut [bool]) {
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

    fn value(&self, products: &[Fq12], entries: Range<usize>) -> Option<Value> {
        finish(products, self.entries.get(entries)?)
    }
}
