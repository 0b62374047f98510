//! BLS12-381: M-type twist, loop over |x|, cofactors in both groups.

use ark_bls12_381::{Bls12_381, Config, Fq, Fq2, Fq12, Fq12Config, Fr, G1Affine, G2Affine};
use ark_ec::bls12::Bls12Config;
use ark_ff::{
    AdditiveGroup, BigInt, CyclotomicMultSubgroup, Field, Fp12Config, MontFp, PrimeField,
};

use super::curve::{Factor, Line, PairingCurve, Step, endomorphism, times_small};
use crate::curve::{Coordinate, Curve};
use crate::groth16::engine::PointFault;
use crate::number::{Number, Wide, Word};

/// |x|; the curve's parameter x is its negative.
const X: u64 = match Config::X {
    [x] => *x,
    _ => 0,
};

/// Factors of ψ(x, y) = (PSI_X·x̄, PSI_Y·ȳ): ξ^(−(p−1)/3) and ξ^(−(p−1)/2) with ξ = 1 + u.
const PSI_X: Fq2 = Fq2::new(
    MontFp!("0"),
    MontFp!(
        "4002409555221667392624310435006688643935503118305586438271171395842971157480381377015405980053539358417135540939437"
    ),
);
const PSI_Y: Fq2 = Fq2::new(
    MontFp!(
        "2973677408986561043442465346520108879172042883009249989176415018091420807192182638567116318576472649347015917690530"
    ),
    MontFp!(
        "1028732146235106349975324479215795277384839936929757896155643118032610843298655225875571310552543014690878354869257"
    ),
);

/// BLS12-381.
pub(crate) struct OverBls12381;

impl PairingCurve for OverBls12381 {
    type E = Bls12_381;
    type Fp = Fq;
    type Fp2 = Fq2;
    type G1 = ark_bls12_381::g1::Config;
    type G2 = ark_bls12_381::g2::Config;

    const CURVE: Curve = Curve::Bls12381;
    const LINES: usize = 68;

    fn steps() -> impl Iterator<Item = Step> {
        (0..u64::BITS - 1).rev().flat_map(|bit| {
            let add = (X >> bit & 1 == 1).then_some(Step::Add { negative: false });
            std::iter::once(Step::Double).chain(add)
        })
    }

    fn psi(point: &G2Affine) -> G2Affine {
        let (mut x, mut y) = (point.x, point.y);
        x.frobenius_map_in_place(1);
        y.frobenius_map_in_place(1);
        G2Affine::new_unchecked(x * PSI_X, y * PSI_Y)
    }

    /// value · (offset/y − slope·x/y·w² + w³): the line divided by y and times w³, which lie in proper subfields.
    fn multiply(value: &mut Fq12, line: &Line<Fq2>, factor: &Factor<Fq>) {
        let (mut c0, mut c1): (Fq2, Fq2) = (line.offset, line.slope);
        c0.mul_assign_by_fp(&factor.one_over_y);
        c1.mul_assign_by_fp(&factor.minus_x_over_y);
        let (mut low, mut high) = (value.c0, value.c1);
        low.mul_by_01(&c0, &c1);
        high.mul_by_01(&c0, &c1);
        Fq12Config::mul_fp6_by_nonresidue_in_place(&mut value.c0);
        Fq12Config::mul_fp6_by_nonresidue_in_place(&mut value.c1);
        Fq12Config::mul_fp6_by_nonresidue_in_place(&mut value.c1);
        high += value.c0;
        low += value.c1;
        value.c0 = low;
        value.c1 = high;
    }

    /// x is negative.
    fn finish(value: &mut Fq12) {
        value.cyclotomic_inverse_in_place();
    }

    fn fp2(c0: Fq, c1: Fq) -> Fq2 {
        Fq2::new(c0, c1)
    }

    fn parts(value: &Fq2) -> [Fq; 2] {
        [value.c0, value.c1]
    }

    fn fp(coordinate: &Coordinate) -> Fq {
        Fq::from_bigint(BigInt(Wide::from_be(coordinate).0)).unwrap_or(Fq::ZERO)
    }

    fn coordinate(value: &Fq) -> Coordinate {
        Number(value.into_bigint().0).to_be()
    }

    fn scalar(input: &[u8; 32]) -> Fr {
        Fr::from_bigint(BigInt(Word::from_be(input).0)).unwrap_or(Fr::ZERO)
    }

    fn scalar_bytes(scalar: &Fr) -> [u8; 32] {
        Number(scalar.into_bigint().0).to_be()
    }

    /// φ(P) = −x²P (ePrint 2021/1130, section 6). Exact: φ² + φ + 1 = 0 on the whole curve, so such a P has
    /// (x⁴ − x² + 1)P = rP = 0.
    fn check_g1_subgroup(point: &G1Affine) -> Result<(), PointFault> {
        let x_times = times_small(point, X);
        let minus_x_squared_times = -times_small(&x_times, X);
        if minus_x_squared_times == endomorphism::<Self>(point) {
            Ok(())
        } else {
            Err(PointFault::NotInSubgroup)
        }
    }

    /// ψ(P) = xP (ePrint 2021/1130, section 4). Exact: ψ² − tψ + p = 0 and t = x + 1, so such a P has
    /// (p − x)P = h₁·rP = 0, and h₁ is prime to the twist's cofactor.
    fn check_g2_subgroup(point: &G2Affine) -> Result<(), PointFault> {
        if -times_small(point, X) == Self::psi(point) {
            Ok(())
        } else {
            Err(PointFault::NotInSubgroup)
        }
    }
}

#[cfg(test)]
mod tests {
    use ark_ec::{AffineRepr, CurveConfig, CurveGroup};
    use ark_ff::{UniformRand, Zero};

    use super::*;
    use crate::groth16::ark::curve::times;
    use crate::groth16::ark::tests::{check_g2_subgroup_test, rng};

    #[test]
    fn the_subgroup_test_of_g2_agrees_with_multiplication_by_r() {
        check_g2_subgroup_test::<OverBls12381>();
    }

    #[test]
    fn the_subgroup_test_of_g1_agrees_with_multiplication_by_r() {
        let mut rng = rng(11);
        let order = Fr::MODULUS;
        let mut seen = 0;
        while seen < 20 {
            let x = Fq::rand(&mut rng);
            let Some(outside) = G1Affine::get_point_from_x_unchecked(x, true) else {
                continue;
            };
            seen += 1;
            let small = times(&outside, order.0).into_affine();
            assert!(!small.is_zero());
            let cofactor = ark_bls12_381::g1::Config::COFACTOR;
            let inside = times(&outside, cofactor.iter().copied()).into_affine();
            assert!(times(&inside, order.0).is_zero());
            assert_eq!(OverBls12381::check_g1_subgroup(&inside), Ok(()));
            for point in [outside, small, (small + inside).into_affine()] {
                assert_eq!(
                    OverBls12381::check_g1_subgroup(&point),
                    Err(PointFault::NotInSubgroup)
                );
            }
        }
        assert_eq!(
            OverBls12381::check_g1_subgroup(&G1Affine::identity()),
            Ok(())
        );
    }

    #[test]
    fn points_of_small_order_are_outside_g1() {
        let mut rng = rng(12);
        for factor in [3_u64, 11, 10_177, 859_267, 52_437_899] {
            let cofactor = ark_bls12_381::g1::Config::COFACTOR;
            let cofactor = u128::from(cofactor[0]) | u128::from(cofactor[1]) << 64;
            // 3 divides it once; the other primes divide it twice, and their points make no cyclic group.
            let whole = u128::from(factor).pow(if factor == 3 { 1 } else { 2 });
            assert_eq!(cofactor % whole, 0);
            let rest = cofactor / whole;
            let rest = [rest as u64, (rest >> 64) as u64];
            let found = std::iter::repeat_with(|| Fq::rand(&mut rng))
                .filter_map(|x| G1Affine::get_point_from_x_unchecked(x, true))
                .map(|point| times(&times(&point, Fr::MODULUS.0).into_affine(), rest).into_affine())
                .take(100)
                .find(|point| !point.is_zero());
            let point = found.expect("a point of that order");
            assert_eq!(
                OverBls12381::check_g1_subgroup(&point),
                Err(PointFault::NotInSubgroup)
            );
        }
    }
}
