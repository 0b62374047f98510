//! Miller loops over many pairs at once: lines of fresh points in lockstep, one running value (and so one squaring per
//! bit) for a whole product.

use ark_ec::AffineRepr;
use ark_ec::pairing::Pairing;
use ark_ff::Field;
use rayon::prelude::*;

use super::curve::{Factor, G1, G2, PairingCurve, Step, Target};
use super::line::{self, PreparedLines, Walk};
use crate::threads::MAX_THREADS;

/// Fewer pairs than this are not worth a second thread.
const SMALLEST_PART: usize = 16;
/// Fewer pairs than this are not worth an inversion per step: arkworks' projective lines are faster.
const SMALLEST_LOCKSTEP: usize = 8;

/// ∏ e'(aᵢ, bᵢ) before the final exponentiation, of each `size` successive pairs.
pub(super) fn products<C: PairingCurve>(pairs: &[(G1<C>, G2<C>)], size: usize) -> Vec<Target<C>> {
    if pairs.len() < SMALLEST_LOCKSTEP {
        return pairs.chunks(size).map(few::<C>).collect();
    }
    let part = pairs
        .len()
        .div_ceil(MAX_THREADS)
        .max(SMALLEST_PART)
        .next_multiple_of(size);
    pairs
        .par_chunks(part)
        .flat_map_iter(|part| lockstep::<C>(part, size))
        .collect()
}

fn few<C: PairingCurve>(pairs: &[(G1<C>, G2<C>)]) -> Target<C> {
    let (a, b): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
    C::E::multi_miller_loop(a, b).0
}

/// ∏ e'(aᵢ, prepared bᵢ).
pub(super) fn prepared_product<C: PairingCurve>(pairs: &[(G1<C>, &PreparedLines<C>)]) -> Target<C> {
    let finite = pairs.iter().filter(|(a, _)| !a.is_zero());
    let (points, lines): (Vec<_>, Vec<_>) =
        finite.filter_map(|(a, b)| Some((*a, b.lines()?))).unzip();
    let factors = factors::<C>(&points);
    let mut value = Target::<C>::ONE;
    for (index, step) in C::steps().enumerate() {
        if step == Step::Double {
            value.square_in_place();
        }
        for (factor, lines) in factors.iter().zip(&lines) {
            if let Some(line) = lines.get(index) {
                C::multiply(&mut value, line, factor);
            }
        }
    }
    C::finish(&mut value);
    value
}

fn lockstep<C: PairingCurve>(pairs: &[(G1<C>, G2<C>)], size: usize) -> Vec<Target<C>> {
    let mut values = vec![Target::<C>::ONE; pairs.len().div_ceil(size)];
    let finite = pairs
        .iter()
        .enumerate()
        .filter(|(_, (a, b))| !a.is_zero() && !b.is_zero());
    let (targets, (a, b)): (Vec<_>, (Vec<_>, Vec<_>)) =
        finite.map(|(index, pair)| (index / size, *pair)).unzip();
    let factors = factors::<C>(&a);
    let mut walk = Walk::<C>::new(b);
    for step in C::steps() {
        if step == Step::Double {
            values.iter_mut().for_each(|value| {
                value.square_in_place();
            });
        }
        walk.step(step, |index, line| {
            let value = targets
                .get(index)
                .and_then(|target| values.get_mut(*target));
            if let (Some(value), Some(factor)) = (value, factors.get(index)) {
                C::multiply(value, &line, factor);
            }
        });
    }
    values.iter_mut().for_each(C::finish);
    values
}

fn factors<C: PairingCurve>(points: &[G1<C>]) -> Vec<Factor<C::Fp>> {
    let mut inverses: Vec<_> = points.iter().map(|point| point.y).collect();
    line::invert_all(&mut inverses);
    let factor = |(point, one_over_y): (&G1<C>, C::Fp)| Factor {
        minus_x_over_y: -point.x * one_over_y,
        one_over_y,
    };
    points.iter().zip(inverses).map(factor).collect()
}
