//! BN254: D-type twist, loop over 6x+2 with two Frobenius lines at its end, G1 without cofactor.

use ark_bn254::{
    Bn254, Config, Fq, Fq2, Fq6, Fq12, Fq12Config, Fr, G1Affine, G2Affine, G2Projective,
};
use ark_ec::bn::BnConfig;
use ark_ff::{AdditiveGroup, BigInt, Field, Fp12Config, PrimeField};

use super::curve::{Factor, Line, PairingCurve, Step, times_small};
use crate::curve::{Coordinate, Curve};
use crate::groth16::engine::PointFault;
use crate::number::{Number, Wide, Word};

/// The curve's parameter x.
const X: u64 = 4_965_661_367_192_848_881;

/// BN254.
pub(crate) struct OverBn254;

impl PairingCurve for OverBn254 {
    type E = Bn254;
    type Fp = Fq;
    type Fp2 = Fq2;
    type G1 = ark_bn254::g1::Config;
    type G2 = ark_bn254::g2::Config;

    const CURVE: Curve = Curve::Bn254;
    const LINES: usize = 90;

    fn steps() -> impl Iterator<Item = Step> {
        let bits = Config::ATE_LOOP_COUNT.iter().rev().skip(1).flat_map(|bit| {
            let add = (*bit != 0).then_some(Step::Add { negative: *bit < 0 });
            std::iter::once(Step::Double).chain(add)
        });
        bits.chain([Step::AddFrobenius, Step::AddFrobeniusSquared])
    }

    fn psi(point: &G2Affine) -> G2Affine {
        let (mut x, mut y) = (point.x, point.y);
        x.frobenius_map_in_place(1);
        y.frobenius_map_in_place(1);
        G2Affine::new_unchecked(x * Config::TWIST_MUL_BY_Q_X, y * Config::TWIST_MUL_BY_Q_Y)
    }

    /// value · (1 − slope·x/y·w + offset/y·w³): the line divided by y, which lies in the base field.
    fn multiply(value: &mut Fq12, line: &Line<Fq2>, factor: &Factor<Fq>) {
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

    fn finish(_: &mut Fq12) {}

    fn fp2(c0: Fq, c1: Fq) -> Fq2 {
        Fq2::new(c0, c1)
    }

    fn parts(value: &Fq2) -> [Fq; 2] {
        [value.c0, value.c1]
    }

    fn fp(coordinate: &Coordinate) -> Fq {
        let [a, b, c, d, _, _] = Wide::from_be(coordinate).0;
        Fq::from_bigint(BigInt([a, b, c, d])).unwrap_or(Fq::ZERO)
    }

    fn coordinate(value: &Fq) -> Coordinate {
        let [a, b, c, d] = value.into_bigint().0;
        Number([a, b, c, d, 0, 0]).to_be()
    }

    fn scalar(input: &[u8; 32]) -> Fr {
        Fr::from_bigint(BigInt(Word::from_be(input).0)).unwrap_or(Fr::ZERO)
    }

    fn scalar_bytes(scalar: &Fr) -> [u8; 32] {
        Number(scalar.into_bigint().0).to_be()
    }

    /// The cofactor is 1: the curve equation is the whole check.
    fn check_g1_subgroup(_: &G1Affine) -> Result<(), PointFault> {
        Ok(())
    }

    /// One 64-bit multiplication (ePrint 2022/348, section 5.1, as in gnark-crypto): P has order r or 1 exactly when
    /// (x+1)P + ψ(xP) + ψ²(xP) = ψ³(2xP).
    ///
    /// Why exactly: with ψ² − tψ + p = 0 the endomorphism f(ψ) = (x+1) + xψ + xψ² − 2xψ³ has norm N with r | N and
    /// gcd(N/r, r·h₂) = 1 = gcd(N, h₂), so of the twist's r·h₂ points it kills just the r of the subgroup.
    fn check_g2_subgroup(point: &G2Affine) -> Result<(), PointFault> {
        let x_times = times_small(point, X);
        let psi_1 = psi_projective(&x_times);
        let psi_2 = psi_projective(&psi_1);
        let psi_3 = psi_projective(&psi_2);
        let left = x_times + point + psi_1 + psi_2;
        if left == psi_3.double() {
            Ok(())
        } else {
            Err(PointFault::NotInSubgroup)
        }
    }
}

fn psi_projective(point: &G2Projective) -> G2Projective {
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

#[cfg(test)]
mod tests {
    use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};

    use super::*;
    use crate::groth16::ark::tests::{check_g2_subgroup_test, twist_point};

    /// The factors of the cofactor below 2^41.
    const COFACTOR_FACTORS: [u64; 3] = [10_069, 5_864_401, 1_875_725_156_269];

    #[test]
    fn the_subgroup_test_agrees_with_multiplication_by_r() {
        check_g2_subgroup_test::<OverBn254>();
    }

    #[test]
    fn points_of_small_order_are_outside() {
        use num_bigint::BigUint;
        let cofactor = BigUint::parse_bytes(
            b"21888242871839275222246405745257275088844257914179612981679871602714643921549",
            10,
        );
        let cofactor = cofactor.expect("a number");
        let full = twist_point::<OverBn254>(7).mul_bigint(ark_bn254::Fr::MODULUS);
        for factor in COFACTOR_FACTORS {
            assert!((&cofactor % factor) == BigUint::from(0_u8));
            let point = full
                .mul_bigint((&cofactor / factor).to_u64_digits())
                .into_affine();
            assert!(!point.is_zero());
            assert_eq!(
                OverBn254::check_g2_subgroup(&point),
                Err(PointFault::NotInSubgroup)
            );
        }
    }
}
