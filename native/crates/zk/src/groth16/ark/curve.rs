//! What the engine needs of a curve beyond arkworks' types: decoding, subgroup tests and the shape of its Miller loop.

use std::ops::AddAssign;

use ark_ec::AffineRepr;
use ark_ec::pairing::Pairing;
use ark_ec::scalar_mul::glv::GLVConfig;
use ark_ec::short_weierstrass::{Affine, Projective, SWCurveConfig};
use ark_ff::{AdditiveGroup, Field, PrimeField, Zero};

use crate::curve::{Coordinate, Curve};
use crate::groth16::engine::PointFault;
use crate::hash_to_field::EXPANDED_BYTES;

/// A G1 point.
pub(crate) type G1<C> = Affine<<C as PairingCurve>::G1>;
/// A G1 point on its way.
pub(crate) type G1Sum<C> = Projective<<C as PairingCurve>::G1>;
/// A G2 point.
pub(crate) type G2<C> = Affine<<C as PairingCurve>::G2>;
/// The scalar field.
pub(crate) type Scalar<C> = <<C as PairingCurve>::E as Pairing>::ScalarField;
/// The field of the pairing's values.
pub(crate) type Target<C> = <<C as PairingCurve>::E as Pairing>::TargetField;

/// A line y = slope·x − offset on the twist.
#[derive(Clone, Copy)]
pub(crate) struct Line<F> {
    pub(crate) slope: F,
    pub(crate) offset: F,
}

/// A G1 point as the lines need it: −x/y and 1/y. No point of odd order has y = 0.
pub(crate) struct Factor<F> {
    pub(crate) minus_x_over_y: F,
    pub(crate) one_over_y: F,
}

/// What the loop does to every running point, in order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Double,
    /// Of the point itself, or of its negative.
    Add {
        negative: bool,
    },
    /// Of ψ of the point.
    AddFrobenius,
    /// Of −ψ² of the point.
    AddFrobeniusSquared,
}

/// A pairing curve: arkworks' arithmetic and what is our own.
pub(crate) trait PairingCurve: Send + Sync + Sized + 'static {
    /// arkworks' pairing.
    type E: Pairing<G1Affine = Affine<Self::G1>, G2Affine = Affine<Self::G2>, G1 = Projective<Self::G1>>;
    /// Base field.
    type Fp: PrimeField;
    /// Its quadratic extension.
    type Fp2: Field<BasePrimeField = Self::Fp>;
    /// G1 with its endomorphism.
    type G1: GLVConfig + SWCurveConfig<BaseField = Self::Fp, ScalarField = Scalar<Self>>;
    /// G2, on the twist.
    type G2: SWCurveConfig<BaseField = Self::Fp2, ScalarField = Scalar<Self>>;

    /// The curve.
    const CURVE: Curve;
    /// Lines of a prepared point.
    const LINES: usize;

    /// The steps of the Miller loop, highest bit first.
    fn steps() -> impl Iterator<Item = Step>;

    /// ψ: the Frobenius map carried to the twist.
    fn psi(point: &G2<Self>) -> G2<Self>;

    /// value · the line at the point, up to a factor that the final exponentiation forgives.
    fn multiply(value: &mut Target<Self>, line: &Line<Self::Fp2>, factor: &Factor<Self::Fp>);

    /// What the end of the loop does to a product.
    fn finish(value: &mut Target<Self>);

    /// c0 + c1·u.
    fn fp2(c0: Self::Fp, c1: Self::Fp) -> Self::Fp2;

    /// The parts of c0 + c1·u.
    fn parts(value: &Self::Fp2) -> [Self::Fp; 2];

    /// A coordinate below p.
    fn fp(coordinate: &Coordinate) -> Self::Fp;

    /// The coordinate of an element.
    fn coordinate(value: &Self::Fp) -> Coordinate;

    /// A public input below r.
    fn scalar(input: &[u8; 32]) -> Scalar<Self>;

    /// A scalar as 32 bytes big-endian.
    fn scalar_bytes(scalar: &Scalar<Self>) -> [u8; 32];

    /// A point of the curve is in G1.
    fn check_g1_subgroup(point: &G1<Self>) -> Result<(), PointFault>;

    /// A point of the twist is in G2.
    fn check_g2_subgroup(point: &G2<Self>) -> Result<(), PointFault>;
}

/// The coordinates of a canonical point, x first.
fn fields<C: PairingCurve>(bytes: &[u8], count: usize) -> impl Iterator<Item = C::Fp> {
    bytes
        .chunks((bytes.len() / count).max(1))
        .filter_map(|word| Some(C::fp(&C::CURVE.unpadded(word)?)))
}

/// Canonical bytes to a point of G1; all zero is infinity.
pub(crate) fn g1<C: PairingCurve>(bytes: &[u8]) -> Result<G1<C>, PointFault> {
    let mut words = fields::<C>(bytes, 2);
    let (Some(x), Some(y)) = (words.next(), words.next()) else {
        return Err(PointFault::NotOnCurve);
    };
    if x.is_zero() && y.is_zero() {
        return Ok(G1::<C>::identity());
    }
    on_curve(Affine::new_unchecked(x, y))
}

/// Canonical bytes to a point of the twist, perhaps outside the subgroup; all zero is infinity.
pub(crate) fn g2<C: PairingCurve>(bytes: &[u8]) -> Result<G2<C>, PointFault> {
    let mut words = fields::<C>(bytes, 4);
    let mut fp2 = || {
        let (first, second) = (words.next()?, words.next()?);
        Some(match C::CURVE {
            Curve::Bn254 => C::fp2(second, first),
            Curve::Bls12381 => C::fp2(first, second),
        })
    };
    let (Some(x), Some(y)) = (fp2(), fp2()) else {
        return Err(PointFault::NotOnCurve);
    };
    if x.is_zero() && y.is_zero() {
        return Ok(G2::<C>::identity());
    }
    on_curve(Affine::new_unchecked(x, y))
}

fn on_curve<P: SWCurveConfig>(point: Affine<P>) -> Result<Affine<P>, PointFault> {
    if point.is_on_curve() {
        Ok(point)
    } else {
        Err(PointFault::NotOnCurve)
    }
}

/// (βx, y), which acts on the subgroup as multiplication by λ.
pub(crate) fn endomorphism<C: PairingCurve>(point: &G1<C>) -> G1<C> {
    let beta = match C::G1::ENDO_COEFFS {
        [beta, ..] => *beta,
        [] => C::Fp::ONE,
    };
    if point.is_zero() {
        *point
    } else {
        Affine::new_unchecked(point.x * beta, point.y)
    }
}

/// multiplier·point by doubling and adding, right for points outside the subgroup too.
pub(crate) fn times_small<P: SWCurveConfig, T>(point: &T, multiplier: u64) -> Projective<P>
where
    Projective<P>: for<'a> AddAssign<&'a T>,
{
    let mut result = Projective::<P>::ZERO;
    for bit in (0..64 - multiplier.leading_zeros()).rev() {
        result.double_in_place();
        if multiplier >> bit & 1 == 1 {
            result += point;
        }
    }
    result
}

/// An expanded hash, reduced.
pub(crate) fn reduce<C: PairingCurve>(expanded: &[u8; EXPANDED_BYTES]) -> [u8; 32] {
    C::scalar_bytes(&Scalar::<C>::from_be_bytes_mod_order(expanded))
}

/// y of a G1 point by its x: the larger of the two roots (above (p − 1)/2) or the smaller.
pub(crate) fn g1_y<C: PairingCurve>(x: &Coordinate, larger: bool) -> Option<Coordinate> {
    let x = C::fp(x);
    let y = (x.square() * x + C::G1::COEFF_B).sqrt()?;
    let is_larger = y > -y;
    Some(C::coordinate(&if is_larger == larger { y } else { -y }))
}

/// y of a point of the twist by its x, c0 and c1; c1 decides which root is larger, c0 where c1 is zero.
pub(crate) fn g2_y<C: PairingCurve>(x: &[Coordinate; 2], larger: bool) -> Option<[Coordinate; 2]> {
    let x = C::fp2(C::fp(&x[0]), C::fp(&x[1]));
    let y = (x.square() * x + C::G2::COEFF_B).sqrt()?;
    let [c0, c1] = C::parts(&y);
    let is_larger = if c1.is_zero() { c0 > -c0 } else { c1 > -c1 };
    let y = if is_larger == larger { y } else { -y };
    Some(C::parts(&y).map(|part| C::coordinate(&part)))
}

/// multiplier·point, limbs from the least significant, without the endomorphism that only holds in the subgroup.
#[cfg(test)]
pub(crate) fn times<P: SWCurveConfig>(
    point: &Affine<P>,
    limbs: impl IntoIterator<Item = u64>,
) -> Projective<P> {
    let mut result = Projective::<P>::ZERO;
    let mut power = Projective::from(*point);
    for limb in limbs {
        for bit in 0..64 {
            if limb >> bit & 1 == 1 {
                result += power;
            }
            power.double_in_place();
        }
    }
    result
}
