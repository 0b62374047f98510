//! Bytes as text of submitted values: hex and base64.

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

/// `0x` and two digits per byte.
pub(crate) fn encode_prefixed(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    let digits = bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
    "0x".chars().chain(digits).collect()
}

/// Bytes of hex behind `0x`, else of hex digits, else of base64.
pub(crate) fn decode_text(text: &str) -> Option<Vec<u8>> {
    match text.strip_prefix("0x") {
        Some(digits) => decode(digits),
        None => decode(text).or_else(|| decode_base64(text)),
    }
}

/// Standard base64 with padding, nothing in the bits that carry nothing (RFC 4648, section 4).
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let (groups, rest) = text.as_bytes().as_chunks::<4>();
    let last = groups.len().checked_sub(1)?;
    if !rest.is_empty() {
        return None;
    }
    let mut bytes = Vec::with_capacity(groups.len() * 3);
    for (index, group) in groups.iter().enumerate() {
        let padding = group.iter().rev().take_while(|c| **c == b'=').count();
        if padding > 2 || padding > 0 && index != last {
            return None;
        }
        let mut bits = 0_u32;
        for (position, character) in group.iter().enumerate() {
            let value = if position >= 4 - padding {
                0
            } else {
                sextet(*character)?
            };
            bits = bits << 6 | u32::from(value);
        }
        let [_, decoded @ ..] = bits.to_be_bytes();
        let (kept, dropped) = decoded.split_at_checked(3 - padding)?;
        if dropped.iter().any(|byte| *byte != 0) {
            return None;
        }
        bytes.extend_from_slice(kept);
    }
    Some(bytes)
}

fn sextet(character: u8) -> Option<u8> {
    match character {
        b'A'..=b'Z' => Some(character - b'A'),
        b'a'..=b'z' => Some(character - b'a' + 26),
        b'0'..=b'9' => Some(character - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
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

    #[test]
    fn base64_is_canonical() {
        for (text, bytes) in [
            ("Zg==", &b"f"[..]),
            ("Zm8=", b"fo"),
            ("Zm9v", b"foo"),
            ("Zm9vYg==", b"foob"),
            ("+/+/", &[0xfb, 0xff, 0xbf]),
        ] {
            assert_eq!(decode_text(text).as_deref(), Some(bytes), "{text}");
        }
        for text in [
            "", "Zg", "Zg=", "Zh==", "Zm9=", "Z===", "Zg==Zg==", "Zm9v\n", "Zm-_", "====", "0x0",
        ] {
            assert_eq!(decode_base64(text), None, "{text:?}");
        }
        assert_eq!(
            decode_text("00ff"),
            Some(vec![0, 0xff]),
            "hex before base64"
        );
    }
}
