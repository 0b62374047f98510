//! The pairing curves: their labels, tags, orders and the widths of their canonical point encoding (EIP-197 for BN254,
//! EIP-2537 for BLS12-381). Owns no curve arithmetic.

use crate::number::{BLS12_381_R, BN254_R, Wide, Word};

/// A base-field element as 48 bytes big-endian, whatever the curve's own width.
pub(crate) type Coordinate = [u8; 48];

/// Zero bytes in front of a BN254 coordinate in a [`Coordinate`].
const BN254_PADDING: usize = 16;
/// Zero bytes in front of a coordinate in EIP-2537.
const EIP_2537_PADDING: usize = 16;

/// Order of the base field of BN254.
const BN254_P: Wide = crate::number::Number([
    0x3c20_8c16_d87c_fd47,
    0x9781_6a91_6871_ca8d,
    0xb850_45b6_8181_585d,
    0x3064_4e72_e131_a029,
    0,
    0,
]);
/// Order of the base field of BLS12-381.
const BLS12_381_P: Wide = crate::number::Number([
    0xb9fe_ffff_ffff_aaab,
    0x1eab_fffe_b153_ffff,
    0x6730_d2a0_f6b0_f624,
    0x6477_4b84_f385_12bf,
    0x4b1b_a7b6_434b_acd7,
    0x1a01_11ea_397f_e69a,
]);

/// A curve whose proofs are verified here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Curve {
    Bn254,
    Bls12381,
}

impl Curve {
    /// The label in records, statements and key hashes.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Bn254 => "bn254",
            Self::Bls12381 => "bls12-381",
        }
    }

    /// The curve under any of its usual names.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "bn254" | "bn128" | "alt_bn128" => Some(Self::Bn254),
            "bls12-381" | "bls12381" | "bls12_381" => Some(Self::Bls12381),
            _ => None,
        }
    }

    /// Order of the base field.
    pub(crate) const fn p(self) -> Wide {
        match self {
            Self::Bn254 => BN254_P,
            Self::Bls12381 => BLS12_381_P,
        }
    }

    /// Order of the scalar field.
    pub(crate) const fn r(self) -> Word {
        match self {
            Self::Bn254 => BN254_R,
            Self::Bls12381 => BLS12_381_R,
        }
    }

    /// Bytes of a coordinate as libraries write it.
    pub(crate) const fn coordinate_bytes(self) -> usize {
        match self {
            Self::Bn254 => 32,
            Self::Bls12381 => 48,
        }
    }

    /// Bytes of a coordinate in canonical points.
    const fn word_bytes(self) -> usize {
        match self {
            Self::Bn254 => 32,
            Self::Bls12381 => 64,
        }
    }

    /// Bytes of a canonical G1 point.
    pub(crate) const fn g1_bytes(self) -> usize {
        2 * self.word_bytes()
    }

    /// Bytes of a canonical G2 point.
    pub(crate) const fn g2_bytes(self) -> usize {
        4 * self.word_bytes()
    }

    /// The coordinate of these bytes, as libraries write it big-endian; `None` for another width or p and more.
    pub(crate) fn coordinate(self, bytes: &[u8]) -> Option<Coordinate> {
        let mut padded = [0; 48];
        if bytes.len() != self.coordinate_bytes() {
            return None;
        }
        padded.get_mut(48 - bytes.len()..)?.copy_from_slice(bytes);
        Wide::from_be(&padded).is_below(self.p()).then_some(padded)
    }

    /// Appends a coordinate as canonical points hold it.
    pub(crate) fn push_coordinate(self, out: &mut Vec<u8>, coordinate: &Coordinate) {
        match self {
            Self::Bn254 => out.extend(coordinate.iter().skip(BN254_PADDING)),
            Self::Bls12381 => {
                out.extend_from_slice(&[0; EIP_2537_PADDING]);
                out.extend_from_slice(coordinate);
            }
        }
    }

    /// Appends an element c0 + c1·u: EIP-197 writes c1 first, EIP-2537 c0.
    pub(crate) fn push_pair(self, out: &mut Vec<u8>, [c0, c1]: &[Coordinate; 2]) {
        let (first, second) = match self {
            Self::Bn254 => (c1, c0),
            Self::Bls12381 => (c0, c1),
        };
        self.push_coordinate(out, first);
        self.push_coordinate(out, second);
    }

    /// Whether all canonical coordinates are below p, with zeros in front where the encoding has them.
    pub(crate) fn are_coordinates(self, points: &[u8]) -> bool {
        points
            .chunks(self.word_bytes())
            .all(|word| self.unpadded(word).is_some())
    }

    /// The coordinate inside a canonical word.
    pub(crate) fn unpadded(self, word: &[u8]) -> Option<Coordinate> {
        let padding = self.word_bytes() - self.coordinate_bytes();
        let (zeros, bytes) = word.split_at_checked(padding)?;
        if zeros.iter().any(|byte| *byte != 0) {
            return None;
        }
        self.coordinate(bytes)
    }

    /// Whether every input is below the scalar field's order.
    pub(crate) fn inputs_in_field(self, inputs: &[[u8; 32]]) -> bool {
        inputs
            .iter()
            .all(|input| Word::from_be(input).is_below(self.r()))
    }
}

#[cfg(test)]
mod tests {
    use ark_ff::PrimeField;

    use super::*;

    #[test]
    fn the_orders_are_those_of_the_fields() {
        assert_eq!(BN254_P.0[..4], ark_bn254::Fq::MODULUS.0);
        assert_eq!(BLS12_381_P.0, ark_bls12_381::Fq::MODULUS.0);
    }

    #[test]
    fn words_hold_canonical_coordinates_only() {
        for curve in [Curve::Bn254, Curve::Bls12381] {
            let p = curve.p().to_be();
            let mut word = Vec::new();
            curve.push_coordinate(&mut word, &p);
            assert!(!curve.are_coordinates(&word), "p itself");
            let mut below = p;
            below[47] -= 1;
            word.clear();
            curve.push_coordinate(&mut word, &below);
            assert_eq!(curve.unpadded(&word), Some(below));
            if curve == Curve::Bls12381 {
                word[15] = 1;
                assert!(!curve.are_coordinates(&word), "padding");
            }
            assert!(!curve.are_coordinates(&word[..31]), "cut");
        }
    }
}
