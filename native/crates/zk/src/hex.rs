//! Hex text of submitted values.

/// Bytes of an even number of hex digits after `0x`.
pub(crate) fn decode_prefixed(text: &str) -> Option<Vec<u8>> {
    decode(text.strip_prefix("0x")?)
}

/// Bytes of an even number of hex digits, either case.
pub(crate) fn decode(digits: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|value| u8::try_from(value).ok())
    };
    rest.is_empty().then(|| {
        pairs
            .iter()
            .map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?))
            .collect()
    })?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_bytes_of_hex_digits_only() {
        assert_eq!(decode_prefixed("0x00fFA0"), Some(vec![0, 0xff, 0xa0]));
        assert_eq!(decode_prefixed("0x"), Some(vec![]));
        for text in ["", "00", "0X00", "0x0", "0x0g", "0x00 ", "0x+1", "0x٣٣"] {
            assert_eq!(decode_prefixed(text), None, "{text:?}");
        }
    }
}
