//! `expand_message_xmd` with SHA-256 (RFC 9380, section 5.3.1) to the 48 bytes of which one scalar of a 255-bit field
//! is made.

use crate::hash::sha256;

/// Bytes of one expanded element: 128 bits more than the scalar, so that reduction is unbiased.
pub(crate) const EXPANDED_BYTES: usize = 48;
/// Block size of SHA-256.
const BLOCK_BYTES: usize = 64;

/// Expands a message of several parts; `domain` is shorter than 256 bytes.
pub(crate) fn expand(parts: &[&[u8]], domain: &[u8]) -> [u8; EXPANDED_BYTES] {
    let length = u8::try_from(domain.len()).unwrap_or(u8::MAX);
    let suffix = [domain, &[length]].concat();
    let mut first = vec![&[0; BLOCK_BYTES][..]];
    first.extend_from_slice(parts);
    first.extend_from_slice(&[&[0, 48, 0], &suffix]);
    let seed = sha256(&first);
    let one = sha256(&[&seed, &[1], &suffix]);
    let mixed: [u8; 32] =
        std::array::from_fn(|i| seed.get(i).unwrap_or(&0) ^ one.get(i).unwrap_or(&0));
    let two = sha256(&[&mixed, &[2], &suffix]);
    let mut expanded = [0; EXPANDED_BYTES];
    for (to, from) in expanded.iter_mut().zip(one.iter().chain(&two)) {
        *to = *from;
    }
    expanded
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9380 appendix K.1 has expansions to 32 and 128 bytes only; this one is by its definition on another
    /// implementation's hash (gnark-crypto's `field/hash.ExpandMsgXmd`, also covered by the proofs with commitments).
    #[test]
    fn the_parts_of_a_message_are_joined() {
        let domain = b"bsb22-commitment";
        assert_eq!(expand(&[b"ab", b"c"], domain), expand(&[b"abc"], domain));
        assert_ne!(expand(&[b"abc"], domain), expand(&[b"abc"], b"G16-BSB22"));
    }
}
