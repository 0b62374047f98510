//! The engine on arkworks' field and curve arithmetic, generic over the curve, with a Miller loop, subgroup tests and
//! challenge scaling of its own (arkworks' are the oracle of the tests).

mod aggregate;
mod bls12_381;
mod bn254;
mod curve;
mod line;
mod miller;
mod scale;
mod search;

use std::marker::PhantomData;

use self::curve::{G1, G2, PairingCurve};
use self::line::PreparedLines;
use super::canonical::{KeyBytes, ProofBytes};
use super::engine::{Engine, Entry, PointFault};
use crate::curve::{Coordinate, Curve};
use crate::hash_to_field::EXPANDED_BYTES;

/// The engine over one curve.
pub(crate) struct ArkEngine<C>(PhantomData<fn() -> C>);

/// Over BN254.
pub(crate) type ArkBn254 = ArkEngine<bn254::OverBn254>;
/// Over BLS12-381.
pub(crate) type ArkBls12381 = ArkEngine<bls12_381::OverBls12381>;

impl<C> ArkEngine<C> {
    /// The engine; it holds nothing.
    pub(crate) const fn new() -> Self {
        Self(PhantomData)
    }
}

/// A key's points, the G2 ones as the lines that the Miller loop needs of them.
pub(crate) struct Key<C: PairingCurve> {
    alpha: G1<C>,
    ic: Vec<G1<C>>,
    /// Of β, γ, δ, and of a key with commitments G and each GSigmaNeg.
    lines: Vec<PreparedLines<C>>,
}

/// G2 points of a key without commitments.
const BASE_LINES: usize = 3;

impl<C: PairingCurve> Key<C> {
    fn commitments(&self) -> usize {
        self.lines.len().saturating_sub(BASE_LINES + 1)
    }
}

/// A proof's points.
pub(crate) struct Proof<C: PairingCurve> {
    a: G1<C>,
    b: G2<C>,
    c: G1<C>,
    commitments: Vec<G1<C>>,
    knowledge: G1<C>,
}

impl<C: PairingCurve> Engine for ArkEngine<C> {
    type Key = Key<C>;
    type Proof = Proof<C>;

    fn key_memory(bytes: &KeyBytes) -> usize {
        let lines = BASE_LINES + bytes.commitment_points().count();
        lines * PreparedLines::<C>::MEMORY + bytes.ic().len() * size_of::<G1<C>>()
    }

    fn key(&self, bytes: &KeyBytes) -> Result<Key<C>, PointFault> {
        let alpha = curve::g1::<C>(bytes.alpha())?;
        let ic = bytes
            .ic()
            .map(curve::g1::<C>)
            .collect::<Result<Vec<_>, _>>()?;
        let points = (bytes
            .g2_points()
            .into_iter()
            .chain(bytes.commitment_points()))
        .map(curve::g2::<C>)
        .collect::<Result<Vec<_>, _>>()?;
        C::check_g1_subgroup(&alpha)?;
        ic.iter().try_for_each(C::check_g1_subgroup)?;
        points.iter().try_for_each(C::check_g2_subgroup)?;
        Ok(Key {
            alpha,
            ic,
            lines: line::prepare::<C>(&points),
        })
    }

    fn proof(&self, bytes: &ProofBytes) -> Result<Proof<C>, PointFault> {
        let (a, b, c) = bytes.points();
        let (a, b, c) = (curve::g1::<C>(a)?, curve::g2::<C>(b)?, curve::g1::<C>(c)?);
        let mut commitments = bytes
            .knowledge()
            .map(curve::g1::<C>)
            .collect::<Result<Vec<_>, _>>()?;
        for point in [&a, &c].into_iter().chain(&commitments) {
            C::check_g1_subgroup(point)?;
        }
        C::check_g2_subgroup(&b)?;
        let knowledge = commitments.pop().unwrap_or_default();
        Ok(Proof {
            a,
            b,
            c,
            commitments,
            knowledge,
        })
    }

    fn reduce(expanded: &[u8; EXPANDED_BYTES]) -> [u8; 32] {
        curve::reduce::<C>(expanded)
    }

    fn verify(&self, entries: &[Entry<'_, Self>]) -> Vec<bool> {
        let mut order: Vec<_> = (0..entries.len()).collect();
        order.sort_by_key(|i| entries.get(*i).map(|entry| entry.key_index));
        let sorted: Vec<_> = order
            .iter()
            .filter_map(|i| entries.get(*i).copied())
            .collect();
        let held = search::verify::<C>(&sorted);
        let mut verdicts = vec![false; entries.len()];
        for (index, holds) in order.into_iter().zip(held) {
            if let Some(verdict) = verdicts.get_mut(index) {
                *verdict = holds;
            }
        }
        verdicts
    }
}

/// y of a compressed G1 point: the larger of the two roots or the smaller; `None` when x is on no point.
pub(crate) fn g1_y(curve: Curve, x: &Coordinate, larger: bool) -> Option<Coordinate> {
    match curve {
        Curve::Bn254 => curve::g1_y::<bn254::OverBn254>(x, larger),
        Curve::Bls12381 => curve::g1_y::<bls12_381::OverBls12381>(x, larger),
    }
}

/// As [`g1_y`], of a point of the twist; elements are c0 and c1.
pub(crate) fn g2_y(curve: Curve, x: &[Coordinate; 2], larger: bool) -> Option<[Coordinate; 2]> {
    match curve {
        Curve::Bn254 => curve::g2_y::<bn254::OverBn254>(x, larger),
        Curve::Bls12381 => curve::g2_y::<bls12_381::OverBls12381>(x, larger),
    }
}

#[cfg(test)]
mod tests {
    use ark_ec::pairing::{MillerLoopOutput, Pairing};
    use ark_ec::short_weierstrass::Affine;
    use ark_ec::{AffineRepr, CurveConfig, CurveGroup};
    use ark_ff::{PrimeField, UniformRand, Zero};

    use super::bls12_381::OverBls12381;
    use super::bn254::OverBn254;
    use super::curve::{Scalar, times};
    use super::*;

    /// A seeded generator for points and scalars.
    pub(super) fn rng(seed: u64) -> impl ark_std::rand::RngCore {
        use ark_std::rand::SeedableRng;
        ark_std::rand::rngs::StdRng::seed_from_u64(seed)
    }

    /// A point of the twist, which almost certainly lies outside the subgroup.
    pub(super) fn twist_point<C: PairingCurve>(seed: u64) -> G2<C> {
        let mut rng = rng(seed);
        loop {
            let x = C::Fp2::rand(&mut rng);
            if let Some(point) = Affine::get_point_from_x_unchecked(x, true) {
                return point;
            }
        }
    }

    pub(super) fn check_g2_subgroup_test<C: PairingCurve>() {
        let order = Scalar::<C>::MODULUS;
        for seed in 0..20 {
            let outside = twist_point::<C>(seed);
            let small = times(&outside, order.as_ref().iter().copied()).into_affine();
            assert!(!small.is_zero());
            let inside = times(&outside, C::G2::COFACTOR.iter().copied()).into_affine();
            assert!(times(&inside, order.as_ref().iter().copied()).is_zero());
            assert_eq!(C::check_g2_subgroup(&inside), Ok(()));
            for point in [outside, small, (small + inside).into_affine()] {
                assert_eq!(C::check_g2_subgroup(&point), Err(PointFault::NotInSubgroup));
            }
        }
        assert_eq!(C::check_g2_subgroup(&G2::<C>::identity()), Ok(()));
    }

    #[test]
    fn the_miller_loops_give_arkworks_pairings() {
        check_miller_loops::<OverBn254>();
        check_miller_loops::<OverBls12381>();
    }

    fn check_miller_loops<C: PairingCurve>() {
        let mut rng = rng(3);
        let mut pairs: Vec<_> = (0..37)
            .map(|_| (G1::<C>::rand(&mut rng), G2::<C>::rand(&mut rng)))
            .collect();
        pairs.push((G1::<C>::identity(), G2::<C>::generator()));
        pairs.push((G1::<C>::generator(), G2::<C>::identity()));
        let final_of = |value| C::E::final_exponentiation(MillerLoopOutput(value));
        let expected: Vec<_> = pairs
            .iter()
            .map(|(a, b)| Some(C::E::pairing(*a, *b)))
            .collect();
        for size in [1, 3, 37] {
            let values = miller::products::<C>(&pairs, size);
            let sums = expected
                .chunks(size)
                .map(|part| Some(part.iter().flatten().sum()));
            assert!(
                values.iter().copied().map(final_of).eq(sums),
                "groups of {size}"
            );
        }
        let all = expected.iter().flatten().sum();
        let prepared: Vec<_> = pairs
            .iter()
            .map(|(a, b)| (*a, line::prepare::<C>(&[*b])))
            .collect();
        let prepared: Vec<_> = prepared.iter().map(|(a, lines)| (*a, &lines[0])).collect();
        assert_eq!(
            final_of(miller::prepared_product::<C>(&prepared)),
            Some(all)
        );
    }
}
