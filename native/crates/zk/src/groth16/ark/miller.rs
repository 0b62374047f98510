//! Miller loops over many pairs at once: lines of fresh points in lockstep, one running value (and so one squaring per
//! bit) for a whole product.

use ark_bn254::{Bn254, Fq, Fq2, Fq6, Fq12, Fq12Config, G1Affine, G2Affine};
use ark_ec::AffineRepr;
use ark_ec::pairing::Pairing;
use ark_ff::{Field, Fp12Config};
use rayon::prelude::*;

use super::line::{self, Line, PreparedLines, Step, Walk};
use crate::threads::MAX_THREADS;

/// Fewer pairs than this are not worth a second thread.
const SMALLEST_PART: usize = 16;
/// Fewer pairs than this are not worth an inversion per step: arkworks' projective lines are faster.
const SMALLEST_LOCKSTEP: usize = 8;

/// ∏ e'(aᵢ, bᵢ) before the final exponentiation, of each `size` successive pairs.
pub(super) fn products(pairs: &[(G1Affine, G2Affine)], size: usize) -> Vec<Fq12> {
    if pairs.len() < SMALLEST_LOCKSTEP {
        return pairs.chunks(size).map(few).collect();
    }
    let part = pairs
        .len()
        .div_ceil(MAX_THREADS)
        .max(SMALLEST_PART)
        .next_multiple_of(size);
    pairs
        .par_chunks(part)
        .flat_map_iter(|part| lockstep(part, size))
        .collect()
}

fn few(pairs: &[(G1Affine, G2Affine)]) -> Fq12 {
    let (a, b): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
    Bn254::multi_miller_loop(a, b).0
}

/// ∏ e'(aᵢ, prepared bᵢ).
pub(super) fn prepared_product(pairs: &[(G1Affine, &PreparedLines)]) -> Fq12 {
    let finite = pairs.iter().filter(|(a, _)| !a.is_zero());
    let (points, lines): (Vec<_>, Vec<_>) =
        finite.filter_map(|(a, b)| Some((*a, b.lines()?))).unzip();
    let factors = factors(&points);
    let mut value = Fq12::ONE;
    for (index, step) in line::steps().enumerate() {
        if step == Step::Double {
            value.square_in_place();
        }
        for (factor, lines) in factors.iter().zip(&lines) {
            if let Some(line) = lines.get(index) {
                multiply(&mut value, *line, factor);
            }
        }
    }
    value
}

fn lockstep(pairs: &[(G1Affine, G2Affine)], size: usize) -> Vec<Fq12> {
    let mut values = vec![Fq12::ONE; pairs.len().div_ceil(size)];
    let finite = pairs
        .iter()
        .enumerate()
        .filter(|(_, (a, b))| !a.is_zero() && !b.is_zero());
    let (targets, (a, b)): (Vec<_>, (Vec<_>, Vec<_>)) =
        finite.map(|(index, pair)| (index / size, *pair)).unzip();
    let factors = factors(&a);
    let mut walk = Walk::new(b);
    for step in line::steps() {
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
                multiply(value, line, factor);
            }
        });
    }
    values
}

/// A G1 point as the lines need it: −x/y and 1/y. No point of odd order has y = 0.
struct Factor {
    minus_x_over_y: Fq,
    one_over_y: Fq,
}

fn factors(points: &[G1Affine]) -> Vec<Factor> {
    let mut inverses: Vec<_> = points.iter().map(|point| point.y).collect();
    line::invert_all(&mut inverses);
    let factor = |(point, one_over_y): (&G1Affine, Fq)| Factor {
        minus_x_over_y: -point.x * one_over_y,
        one_over_y,
    };
    points.iter().zip(inverses).map(factor).collect()
}

/// value · (1 − slope·x/y·w + offset/y·w³): the line at the point, divided by y, which the final exponentiation
/// forgives since y lies in the base field.
fn multiply(value: &mut Fq12, line: Line, factor: &Factor) {
    let (mut c3, mut c4): (Fq2, Fq2) = (line.slope, line.offset);
    c3.mul_assign_by_fp(&factor.minus_x_over_y);
    c4.mul_assign_by_fp(&factor.one_over_y);
    let (mut low, mut high): (Fq6, Fq6) = (value.c0, value.c1);
    low.mul_by_01(&c3, &c4);
    high.mul_by_01(&c3, &c4);
    Fq12Config::mul_fp6_by_nonresidue_in_place(&mut high);
    value.c0 += high;
    value.c1 += low;
}
