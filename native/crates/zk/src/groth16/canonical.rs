//! Canonical bytes of Groth16 over BN254 (EIP-197 points: x ‖ y, Fp2 as c1 ‖ c0, infinity all zero) and the checks
//! that need no curve arithmetic: lengths, counts, coordinates below the field's order.

use crate::hash;
use crate::word::{BN254_P, BN254_R, Word};

/// Bytes of a G1 point.
pub(crate) const G1_BYTES: usize = 64;
/// Bytes of a G2 point.
pub(crate) const G2_BYTES: usize = 128;
/// Bytes of a proof: A ‖ B ‖ C.
pub(crate) const PROOF_BYTES: usize = 2 * G1_BYTES + G2_BYTES;
/// Bytes before the IC points of a key: u32 count ‖ α ‖ β ‖ γ ‖ δ.
const KEY_HEAD_BYTES: usize = 4 + G1_BYTES + 3 * G2_BYTES;
/// Bytes after them: u32 number of Pedersen keys, none here.
const KEY_TAIL_BYTES: usize = 4;

/// Canonical proof bytes whose coordinates are all below p.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProofBytes([u8; PROOF_BYTES]);

impl ProofBytes {
    /// `None` for another length or a coordinate of p or more.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; PROOF_BYTES] = bytes.try_into().ok()?;
        are_below(bytes, BN254_P).then_some(Self(*bytes))
    }

    /// A, B and C.
    pub(crate) fn points(&self) -> (&[u8], &[u8], &[u8]) {
        let (a, rest) = self.0.split_at(G1_BYTES);
        let (b, c) = rest.split_at(G2_BYTES);
        (a, b, c)
    }

    /// The bytes.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Canonical key bytes of consistent length whose coordinates are all below p.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyBytes {
    bytes: Vec<u8>,
    hash: [u8; 32],
}

impl KeyBytes {
    /// `None` for a count that does not fit the length, no IC point, a Pedersen key (not decoded yet), or a
    /// coordinate of p or more.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let count: [u8; 4] = bytes.get(..4)?.try_into().ok()?;
        let points = usize::try_from(u32::from_be_bytes(count)).ok()?;
        let length = points
            .checked_mul(G1_BYTES)?
            .checked_add(KEY_HEAD_BYTES + KEY_TAIL_BYTES)?;
        let (body, tail) = bytes.get(4..)?.split_last_chunk::<KEY_TAIL_BYTES>()?;
        if points == 0
            || bytes.len() != length
            || *tail != [0; KEY_TAIL_BYTES]
            || !are_below(body, BN254_P)
        {
            return None;
        }
        Some(Self {
            bytes: bytes.to_vec(),
            hash: hash::vk_hash(super::SYSTEM, super::CURVE, bytes),
        })
    }

    /// The key's identity.
    pub(crate) fn hash(&self) -> [u8; 32] {
        self.hash
    }

    /// The bytes.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many public inputs a proof has.
    pub(crate) fn input_count(&self) -> usize {
        self.ic().len() / G1_BYTES - 1
    }

    /// α.
    pub(crate) fn alpha(&self) -> &[u8] {
        self.part(4, G1_BYTES)
    }

    /// β, γ and δ.
    pub(crate) fn g2_points(&self) -> [&[u8]; 3] {
        [0, 1, 2].map(|i| self.part(4 + G1_BYTES + i * G2_BYTES, G2_BYTES))
    }

    /// The IC points, one after another; at least one.
    pub(crate) fn ic(&self) -> &[u8] {
        self.part(
            KEY_HEAD_BYTES,
            self.bytes.len() - KEY_HEAD_BYTES - KEY_TAIL_BYTES,
        )
    }

    fn part(&self, start: usize, length: usize) -> &[u8] {
        self.bytes.get(start..start + length).unwrap_or_default()
    }
}

/// Public inputs, each 32 bytes big-endian; `None` unless the length is a multiple of 32.
pub(crate) fn parse_inputs(bytes: &[u8]) -> Option<&[[u8; 32]]> {
    let (inputs, rest) = bytes.as_chunks::<32>();
    rest.is_empty().then_some(inputs)
}

/// Whether every input is below the scalar field's order.
pub(crate) fn inputs_in_field(inputs: &[[u8; 32]]) -> bool {
    inputs
        .iter()
        .all(|input| Word::from_be(input).is_below(BN254_R))
}

fn are_below(words: &[u8], order: Word) -> bool {
    words
        .as_chunks::<32>()
        .0
        .iter()
        .all(|word| Word::from_be(word).is_below(order))
}
