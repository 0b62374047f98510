//! Multiplication of G1 points by challenges r = low + λ·high, 64 bits each: by the endomorphism (x, y) → (βx, y),
//! which acts as λ, half the doublings of a 128-bit scalar.

use ark_bn254::{Fq, Fr, G1Affine, G1Projective, g1::Config};
use ark_ec::scalar_mul::glv::GLVConfig;
use ark_ec::{AffineRepr, CurveGroup, VariableBaseMSM};
use ark_ff::{AdditiveGroup, Field};

use crate::groth16::engine::Weight;

const BETA: Fq = match Config::ENDO_COEFFS {
    [beta, ..] => *beta,
    [] => Fq::ONE,
};

/// The challenge as a scalar.
pub(super) fn scalar(weight: Weight) -> Fr {
    Fr::from(weight.low) + Config::LAMBDA * Fr::from(weight.high)
}

fn endomorphism(point: &G1Affine) -> G1Affine {
    if point.is_zero() {
        *point
    } else {
        G1Affine::new_unchecked(point.x * BETA, point.y)
    }
}

/// weight·point.
pub(super) fn weighted(point: &G1Affine, weight: Weight) -> G1Projective {
    if (weight.low, weight.high) == (1, 0) {
        return (*point).into();
    }
    let image = endomorphism(point);
    // P + φP + φ²P = 0, so the sum of the first two is the negative of the third.
    let both = -endomorphism(&image);
    let mut result = G1Projective::ZERO;
    for bit in (0..64).rev() {
        result.double_in_place();
        match (weight.low >> bit & 1, weight.high >> bit & 1) {
            (0, 0) => {}
            (_, 0) => result += point,
            (0, _) => result += &image,
            (_, _) => result += &both,
        }
    }
    result
}

/// Σ weightᵢ·pointᵢ.
pub(super) fn weighted_sum(points: &[G1Affine], weights: &[Weight]) -> G1Projective {
    if let ([point], [weight]) = (points, weights) {
        return weighted(point, *weight);
    }
    let bases: Vec<_> = points
        .iter()
        .copied()
        .chain(points.iter().map(endomorphism))
        .collect();
    let scalars: Vec<_> = weights
        .iter()
        .map(|w| w.low)
        .chain(weights.iter().map(|w| w.high))
        .collect();
    G1Projective::msm_u64(&bases, &scalars)
}

/// scalar·point; a single proof is verified with weight one.
pub(super) fn times(point: &G1Affine, scalar: &Fr) -> G1Projective {
    if *scalar == Fr::ONE {
        (*point).into()
    } else {
        *point * scalar
    }
}

/// Below this many points single multiplications cost less than buckets.
const SMALLEST_BUCKETED: usize = 8;

/// Σ scalarᵢ·pointᵢ, over the shorter of both.
pub(super) fn sum(points: &[G1Affine], scalars: &[Fr]) -> G1Projective {
    if points.len() < SMALLEST_BUCKETED {
        return points
            .iter()
            .zip(scalars)
            .map(|(point, scalar)| times(point, scalar))
            .sum();
    }
    G1Projective::msm_unchecked(points, scalars)
}

/// Affine forms, one inversion for all.
pub(super) fn to_affine(points: &[G1Projective]) -> Vec<G1Affine> {
    G1Projective::normalize_batch(points)
}

#[cfg(test)]
mod tests {
    use ark_ff::UniformRand;

    use super::*;
    use crate::groth16::ark::tests::rng;

    #[test]
    fn weighting_is_multiplication_by_the_scalar() {
        let mut rng = rng(1);
        let points: Vec<_> = (0..40)
            .map(|_| G1Affine::rand(&mut rng))
            .chain([G1Affine::identity()])
            .collect();
        let weights: Vec<_> = (points.iter().enumerate())
            .map(|(i, _)| match i {
                0 => Weight { low: 1, high: 0 },
                1 => Weight { low: 0, high: 1 },
                2 => Weight {
                    low: u64::MAX,
                    high: u64::MAX,
                },
                _ => Weight {
                    low: u64::rand(&mut rng),
                    high: u64::rand(&mut rng),
                },
            })
            .collect();
        let expected: Vec<G1Projective> = points
            .iter()
            .zip(&weights)
            .map(|(p, w)| *p * scalar(*w))
            .collect();
        let got: Vec<_> = points
            .iter()
            .zip(&weights)
            .map(|(p, w)| weighted(p, *w))
            .collect();
        assert_eq!(got, expected);
        assert_eq!(
            weighted_sum(&points, &weights),
            expected.into_iter().sum::<G1Projective>()
        );
    }
}
