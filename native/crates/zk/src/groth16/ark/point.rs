//! Canonical bytes to curve points, with the curve equation and the subgroup test.

use ark_bn254::{Config, Fq, Fq2, G1Affine, G2Affine, G2Projective};
use ark_ec::AffineRepr;
use ark_ec::bn::BnConfig;
use ark_ff::{AdditiveGroup, BigInt, Field, PrimeField, Zero};

use crate::groth16::engine::PointFault;
use crate::word::Word;

/// The curve's parameter x.
const X: u64 = 4_965_661_367_192_848_881;

/// x ‖ y; all zero is infinity. BN254 has cofactor 1 here, so the equation is the whole check.
pub(super) fn g1(bytes: &[u8]) -> Result<G1Affine, PointFault> {
    let mut words = bytes.as_chunks::<32>().0.iter().map(coordinate);
    let (Some(x), Some(y)) = (words.next(), words.next()) else {
        return Err(PointFault::NotOnCurve);
    };
    if x.is_zero() && y.is_zero() {
        return Ok(G1Affine::identity());
    }
    let point = G1Affine::new_unchecked(x, y);
    if point.is_on_curve() {
        Ok(point)
    } else {
        Err(PointFault::NotOnCurve)
    }
}

/// x.c1 ‖ x.c0 ‖ y.c1 ‖ y.c0; all zero is infinity. On the twist, perhaps outside the subgroup.
pub(super) fn g2(bytes: &[u8]) -> Result<G2Affine, PointFault> {
    let mut words = bytes.as_chunks::<32>().0.iter().map(coordinate);
    let mut fp2 = || {
        let (c1, c0) = (words.next()?, words.next()?);
        Some(Fq2::new(c0, c1))
    };
    let (Some(x), Some(y)) = (fp2(), fp2()) else {
        return Err(PointFault::NotOnCurve);
    };
    if x.is_zero() && y.is_zero() {
        return Ok(G2Affine::identity());
    }
    let point = G2Affine::new_unchecked(x, y);
    if point.is_on_curve() {
        Ok(point)
    } else {
        Err(PointFault::NotOnCurve)
    }
}

/// Below p by the check of the canonical bytes.
fn coordinate(bytes: &[u8; 32]) -> Fq {
    Fq::from_bigint(BigInt(Word::from_be(bytes).0)).unwrap_or(Fq::ZERO)
}

/// ψ of an affine point: the Frobenius map carried to the twist, which acts on the subgroup as multiplication by p.
pub(super) fn psi_affine(point: &G2Affine) -> G2Affine {
    let (mut x, mut y) = (point.x, point.y);
    x.frobenius_map_in_place(1);
    y.frobenius_map_in_place(1);
    G2Affine::new_unchecked(x * Config::TWIST_MUL_BY_Q_X, y * Config::TWIST_MUL_BY_Q_Y)
}

fn psi(point: &G2Projective) -> G2Projective {
    let (mut x, mut y, mut z) = (point.x, point.y, point.z);
    x.frobenius_map_in_place(1);
    y.frobenius_map_in_place(1);
    z.frobenius_map_in_place(1);
    G2Projective::new_unchecked(
        x * Config::TWIST_MUL_BY_Q_X,
        y * Config::TWIST_MUL_BY_Q_Y,
        z,
    )
}

/// Subgroup test of one 64-bit multiplication (ePrint 2022/348, section 5.1, as in gnark-crypto): P has order r or 1
/// exactly when (x+1)P + ψ(xP) + ψ²(xP) = ψ³(2xP).
///
/// Why exactly: with ψ² − tψ + p = 0 the endomorphism f(ψ) = (x+1) + xψ + xψ² − 2xψ³ has norm N with r | N and
/// gcd(N/r, r·h₂) = 1 = gcd(N, h₂), so of the twist's r·h₂ points it kills just the r of the subgroup.
pub(super) fn check_g2_subgroup(point: &G2Affine) -> Result<(), PointFault> {
    let x_times = point.mul_bigint([X]);
    let psi_1 = psi(&x_times);
    let psi_2 = psi(&psi_1);
    let psi_3 = psi(&psi_2);
    let left = x_times + point + psi_1 + psi_2;
    if left == psi_3.double() {
        Ok(())
    } else {
        Err(PointFault::NotInSubgroup)
    }
}

/// Negative, for the last line of the Miller loop.
pub(super) fn psi_squared_negative(point: &G2Affine) -> G2Affine {
    -psi_affine(&psi_affine(point))
}

#[cfg(test)]
mod tests {
    use ark_ec::short_weierstrass::SWCurveConfig;
    use ark_ec::{CurveGroup, PrimeGroup};
    use ark_ff::UniformRand;

    use super::*;
    use crate::groth16::ark::tests::rng;

    fn twist_point(seed: u64) -> G2Affine {
        let mut rng = rng(seed);
        loop {
            if let Some(point) = G2Affine::get_point_from_x_unchecked(Fq2::rand(&mut rng), true) {
                return point;
            }
        }
    }

    /// The factors of the cofactor below 2^41 and the rest.
    const COFACTOR_FACTORS: [u64; 3] = [10_069, 5_864_401, 1_875_725_156_269];

    #[test]
    fn the_subgroup_test_agrees_with_multiplication_by_r() {
        let order = ark_bn254::Fr::MODULUS;
        for seed in 0..20 {
            let outside = twist_point(seed);
            let inside = outside.clear_cofactor();
            assert!(!outside.mul_bigint(order).is_zero());
            assert_eq!(check_g2_subgroup(&outside), Err(PointFault::NotInSubgroup));
            assert_eq!(check_g2_subgroup(&inside), Ok(()));
            assert!(ark_bn254::g2::Config::is_in_correct_subgroup_assuming_on_curve(&inside));
            let small = outside.mul_bigint(order).into_affine();
            assert_eq!(check_g2_subgroup(&small), Err(PointFault::NotInSubgroup));
            assert_eq!(
                check_g2_subgroup(&(small + inside).into_affine()),
                Err(PointFault::NotInSubgroup)
            );
        }
        assert_eq!(check_g2_subgroup(&G2Affine::identity()), Ok(()));
    }

    #[test]
    fn points_of_small_order_are_outside() {
        use num_bigint::BigUint;
        let cofactor = BigUint::parse_bytes(
            b"21888242871839275222246405745257275088844257914179612981679871602714643921549",
            10,
        );
        let cofactor = cofactor.expect("a number");
        let full = twist_point(7).mul_bigint(ark_bn254::Fr::MODULUS);
        for factor in COFACTOR_FACTORS {
            assert!((&cofactor % factor) == BigUint::from(0_u8));
            let point = full
                .mul_bigint((&cofactor / factor).to_u64_digits())
                .into_affine();
            assert!(!point.is_zero());
            assert_eq!(check_g2_subgroup(&point), Err(PointFault::NotInSubgroup));
        }
    }
}
