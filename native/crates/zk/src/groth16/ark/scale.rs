//! Multiplication of G1 points by challenges r = low + λ·high, 64 bits each: by the endomorphism (x, y) → (βx, y),
//! which acts as λ, half the doublings of a 128-bit scalar.

use ark_ec::scalar_mul::glv::GLVConfig;
use ark_ec::{CurveGroup, VariableBaseMSM};
use ark_ff::{AdditiveGroup, Field};

use super::curve::{G1, G1Sum, PairingCurve, Scalar, endomorphism};
use crate::groth16::engine::Weight;

/// The challenge as a scalar.
pub(super) fn scalar<C: PairingCurve>(weight: Weight) -> Scalar<C> {
    Scalar::<C>::from(weight.low) + C::G1::LAMBDA * Scalar::<C>::from(weight.high)
}

/// weight·point.
pub(super) fn weighted<C: PairingCurve>(point: &G1<C>, weight: Weight) -> G1Sum<C> {
    if weight == Weight::ONE {
        return (*point).into();
    }
    let image = endomorphism::<C>(point);
    // P + φP + φ²P = 0, so the sum of the first two is the negative of the third.
    let both = -endomorphism::<C>(&image);
    let mut result = G1Sum::<C>::ZERO;
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
pub(super) fn weighted_sum<C: PairingCurve>(points: &[G1<C>], weights: &[Weight]) -> G1Sum<C> {
    if let ([point], [weight]) = (points, weights) {
        return weighted::<C>(point, *weight);
    }
    let bases: Vec<_> = points
        .iter()
        .copied()
        .chain(points.iter().map(endomorphism::<C>))
        .collect();
    let scalars: Vec<_> = weights
        .iter()
        .map(|w| w.low)
        .chain(weights.iter().map(|w| w.high))
        .collect();
    G1Sum::<C>::msm_u64(&bases, &scalars)
}

/// scalar·point; a single proof is verified with weight one.
pub(super) fn times<C: PairingCurve>(point: &G1<C>, scalar: &Scalar<C>) -> G1Sum<C> {
    if *scalar == Scalar::<C>::ONE {
        (*point).into()
    } else {
        *point * scalar
    }
}

/// Below this many points single multiplications cost less than buckets.
const SMALLEST_BUCKETED: usize = 8;

/// Σ scalarᵢ·pointᵢ, over the shorter of both.
pub(super) fn sum<C: PairingCurve>(points: &[G1<C>], scalars: &[Scalar<C>]) -> G1Sum<C> {
    if points.len() < SMALLEST_BUCKETED {
        return points
            .iter()
            .zip(scalars)
            .map(|(point, scalar)| times::<C>(point, scalar))
            .sum();
    }
    G1Sum::<C>::msm_unchecked(points, scalars)
}

/// Affine forms, one inversion for all.
pub(super) fn to_affine<C: PairingCurve>(points: &[G1Sum<C>]) -> Vec<G1<C>> {
    G1Sum::<C>::normalize_batch(points)
}

#[cfg(test)]
mod tests {
    use ark_ff::UniformRand;

    use super::*;
    use crate::groth16::ark::bls12_381::OverBls12381;
    use crate::groth16::ark::bn254::OverBn254;
    use crate::groth16::ark::tests::rng;

    #[test]
    fn weighting_is_multiplication_by_the_scalar() {
        check::<OverBn254>();
        check::<OverBls12381>();
    }

    fn check<C: PairingCurve>() {
        let mut rng = rng(1);
        let points: Vec<_> = (0..40)
            .map(|_| G1::<C>::rand(&mut rng))
            .chain([G1::<C>::identity()])
            .collect();
        let weights: Vec<_> = (points.iter().enumerate())
            .map(|(i, _)| match i {
                0 => Weight::ONE,
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
        let expected: Vec<G1Sum<C>> = points
            .iter()
            .zip(&weights)
            .map(|(p, w)| *p * scalar::<C>(*w))
            .collect();
        let got: Vec<_> = points
            .iter()
            .zip(&weights)
            .map(|(p, w)| weighted::<C>(p, *w))
            .collect();
        assert_eq!(got, expected);
        assert_eq!(
            weighted_sum::<C>(&points, &weights),
            expected.into_iter().sum::<G1Sum<C>>()
        );
    }
}
