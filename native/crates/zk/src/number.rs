//! Fixed-width numbers as they cross formats: canonical decimal text, big-endian bytes, comparison with a field's
//! order. No field arithmetic: that belongs to the engine.

/// A number below 2^(64·N), limbs from the least significant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number<const N: usize>(pub(crate) [u64; N]);

/// A number below 2^256: public inputs, scalars.
pub(crate) type Word = Number<4>;
/// A number below 2^384: coordinates of any curve.
pub(crate) type Wide = Number<6>;

/// Decimal digits that fit one multiplication step.
const STEP_DIGITS: usize = 19;

/// Order of the scalar field of BN254.
pub(crate) const BN254_R: Word = Number([
    0x43e1_f593_f000_0001,
    0x2833_e848_79b9_7091,
    0xb850_45b6_8181_585d,
    0x3064_4e72_e131_a029,
]);
/// Order of the scalar field of BLS12-381.
pub(crate) const BLS12_381_R: Word = Number([
    0xffff_ffff_0000_0001,
    0x53bd_a402_fffe_5bfe,
    0x3339_d808_09a1_d805,
    0x73ed_a753_299d_7d48,
]);
/// Order of the Goldilocks field, 2^64 − 2^32 + 1.
pub(crate) const GOLDILOCKS: Word = Number([0xffff_ffff_0000_0001, 0, 0, 0]);
/// Order of the Stark curve's base field, 2^251 + 17·2^192 + 1.
pub(crate) const STARK252: Word = Number([1, 0, 0, 0x0800_0000_0000_0011]);

/// Why a text is no canonical number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecimalFault {
    /// Not `0` or digits without a leading zero, or too many digits.
    NotCanonical,
    /// Canonical, but too large for the width.
    TooLarge,
}

impl<const N: usize> Number<N> {
    /// Most digits of a number of this width: 64·N·log10(2), rounded up.
    const MAX_DIGITS: usize = (64 * N * 30_103).div_ceil(100_000);

    /// Parses `0` or digits without a leading zero, at most as many as the largest number has.
    pub(crate) fn from_decimal(text: &str) -> Result<Self, DecimalFault> {
        let digits = text.as_bytes();
        let leading_zero = digits.len() > 1 && digits.first() == Some(&b'0');
        if digits.is_empty()
            || digits.len() > Self::MAX_DIGITS
            || leading_zero
            || !digits.iter().all(u8::is_ascii_digit)
        {
            return Err(DecimalFault::NotCanonical);
        }
        let mut word = Self([0; N]);
        for step in digits.chunks(STEP_DIGITS) {
            let (scale, value) = step.iter().fold((1_u64, 0_u64), |(scale, value), d| {
                (scale * 10, value * 10 + u64::from(d - b'0'))
            });
            word = word
                .times_plus(scale, value)
                .ok_or(DecimalFault::TooLarge)?;
        }
        Ok(word)
    }

    fn times_plus(self, factor: u64, addend: u64) -> Option<Self> {
        let mut carry = u128::from(addend);
        let limbs = self.0.map(|limb| {
            let sum = u128::from(limb) * u128::from(factor) + carry;
            carry = sum >> 64;
            sum as u64
        });
        (carry == 0).then_some(Self(limbs))
    }

    /// Of big-endian bytes, as many as the width has.
    fn of_be(bytes: &[u8]) -> Self {
        let (chunks, _) = bytes.as_chunks::<8>();
        let mut limbs = chunks.iter().rev().map(|chunk| u64::from_be_bytes(*chunk));
        Self(std::array::from_fn(|_| limbs.next().unwrap_or_default()))
    }

    fn put_be(self, bytes: &mut [u8]) {
        let chunks = bytes.as_chunks_mut::<8>().0;
        for (chunk, limb) in chunks.iter_mut().zip(self.0.iter().rev()) {
            *chunk = limb.to_be_bytes();
        }
    }

    /// Whether it is smaller than `order`.
    pub(crate) fn is_below(self, order: Self) -> bool {
        self.0.iter().rev().lt(order.0.iter().rev())
    }
}

impl Word {
    /// Of 32 bytes big-endian.
    pub(crate) fn from_be(bytes: &[u8; 32]) -> Self {
        Self::of_be(bytes)
    }

    /// As 32 bytes big-endian.
    pub(crate) fn to_be(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        self.put_be(&mut bytes);
        bytes
    }
}

impl Wide {
    /// Of 48 bytes big-endian.
    pub(crate) fn from_be(bytes: &[u8; 48]) -> Self {
        Self::of_be(bytes)
    }

    /// As 48 bytes big-endian.
    pub(crate) fn to_be(self) -> [u8; 48] {
        let mut bytes = [0; 48];
        self.put_be(&mut bytes);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use proptest::prelude::*;

    use super::*;

    fn big(word: Word) -> BigUint {
        BigUint::from_bytes_be(&word.to_be())
    }

    proptest! {
        #[test]
        fn decimal_and_bytes_agree_with_big_integers(bytes: [u8; 32], other: [u8; 32]) {
            let word = Word::from_be(&bytes);
            prop_assert_eq!(word.to_be(), bytes);
            prop_assert_eq!(Word::from_decimal(&BigUint::from_bytes_be(&bytes).to_string()), Ok(word));
            prop_assert_eq!(word.is_below(Word::from_be(&other)), bytes < other);
        }
    }

    #[test]
    fn the_boundaries_of_decimal_text() {
        let max: BigUint = (BigUint::from(1_u8) << 256) - 1_u8;
        assert_eq!(
            Word::from_decimal(&max.to_string()),
            Ok(Number([u64::MAX; 4]))
        );
        assert_eq!(
            Word::from_decimal(&(max + 1_u8).to_string()),
            Err(DecimalFault::TooLarge)
        );
        for text in [
            "",
            "00",
            "01",
            "-1",
            "+1",
            " 1",
            "1 ",
            "0x1",
            "1e3",
            "٣",
            &"9".repeat(79),
        ] {
            assert_eq!(
                Word::from_decimal(text),
                Err(DecimalFault::NotCanonical),
                "{text:?}"
            );
        }
        assert_eq!(Word::from_decimal("0"), Ok(Number([0; 4])));
    }

    #[test]
    fn wide_numbers_have_the_same_rules() {
        let max: BigUint = (BigUint::from(1_u8) << 384) - 1_u8;
        assert_eq!(
            Wide::from_decimal(&max.to_string()),
            Ok(Number([u64::MAX; 6]))
        );
        assert_eq!(
            Wide::from_decimal(&(&max + 1_u8).to_string()),
            Err(DecimalFault::TooLarge)
        );
        assert_eq!(
            Wide::from_decimal(&"9".repeat(117)),
            Err(DecimalFault::NotCanonical)
        );
        let bytes: [u8; 48] = std::array::from_fn(|i| u8::try_from(i).unwrap_or(0));
        assert_eq!(Wide::from_be(&bytes).to_be(), bytes);
        assert_eq!(
            Wide::from_decimal(&BigUint::from_bytes_be(&bytes).to_string()),
            Ok(Wide::from_be(&bytes))
        );
    }

    #[test]
    fn the_orders_are_those_of_the_fields() {
        use ark_ff::PrimeField;
        assert_eq!(BN254_R.0, ark_bn254::Fr::MODULUS.0);
        assert_eq!(BLS12_381_R.0, ark_bls12_381::Fr::MODULUS.0);
        let two = BigUint::from(2_u8);
        assert_eq!(big(STARK252), two.pow(251) + two.pow(192) * 17_u8 + 1_u8);
        assert_eq!(big(GOLDILOCKS), two.pow(64) - two.pow(32) + 1_u8);
        let bls = "52435875175126190479447740508185965837690552500527637822603658699938581184513";
        assert_eq!(big(BLS12_381_R).to_string(), bls);
    }
}
