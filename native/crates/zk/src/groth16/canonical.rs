//! Canonical bytes of Groth16 keys and proofs (points as EIP-197 and EIP-2537 write them, infinity all zero) and the
//! checks that need no curve arithmetic: lengths, counts, coordinates below the field's order.

use crate::bytes::Bytes;
use crate::curve::Curve;
use crate::hash;

/// Most Pedersen commitments of a key; gnark circuits have one or a few.
pub(crate) const MAX_COMMITMENTS: usize = 64;

/// Canonical proof bytes whose coordinates are all below p: A ‖ B ‖ C, and with commitments
/// u32 m ‖ m × commitment ‖ proof of knowledge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProofBytes {
    curve: Curve,
    bytes: Vec<u8>,
    commitments: usize,
}

/// Bytes of A ‖ B ‖ C.
const fn base_bytes(curve: Curve) -> usize {
    2 * curve.g1_bytes() + curve.g2_bytes()
}

impl ProofBytes {
    /// `None` for another length, a count that does not fit it, or a coordinate of p or more.
    pub(crate) fn parse(curve: Curve, bytes: &[u8]) -> Option<Self> {
        let (base, rest) = bytes.split_at_checked(base_bytes(curve))?;
        let commitments = commitments_of_proof(curve, bytes.len())?;
        let points = if commitments == 0 {
            rest
        } else {
            let (count, points) = rest.split_first_chunk::<4>()?;
            if usize::try_from(u32::from_be_bytes(*count)).ok()? != commitments {
                return None;
            }
            points
        };
        (curve.are_coordinates(base) && curve.are_coordinates(points)).then(|| Self {
            curve,
            bytes: bytes.to_vec(),
            commitments,
        })
    }

    /// A, B and C.
    pub(crate) fn points(&self) -> (&[u8], &[u8], &[u8]) {
        let (a, rest) = split(&self.bytes, self.curve.g1_bytes());
        let (b, rest) = split(rest, self.curve.g2_bytes());
        let (c, _) = split(rest, self.curve.g1_bytes());
        (a, b, c)
    }

    /// How many Pedersen commitments it has.
    pub(crate) fn commitments(&self) -> usize {
        self.commitments
    }

    /// The commitments and behind them the proof of knowledge; nothing without commitments.
    pub(crate) fn knowledge(&self) -> impl Iterator<Item = &[u8]> {
        let points = self.bytes.get(base_bytes(self.curve) + 4..);
        points.unwrap_or_default().chunks(self.curve.g1_bytes())
    }

    /// The bytes.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

fn split(bytes: &[u8], at: usize) -> (&[u8], &[u8]) {
    bytes.split_at_checked(at).unwrap_or_default()
}

/// How many commitments a canonical proof of this length has; `None` when no proof has it.
pub(crate) fn commitments_of_proof(curve: Curve, length: usize) -> Option<usize> {
    let rest = length.checked_sub(base_bytes(curve))?;
    if rest == 0 {
        return Some(0);
    }
    let points = rest.checked_sub(4)? / curve.g1_bytes();
    let fits = 4 + points * curve.g1_bytes() == rest;
    (fits && (2..=MAX_COMMITMENTS + 1).contains(&points)).then(|| points - 1)
}

/// What a key's counts say of its layout, read without looking at any point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyLayout {
    /// IC points, at least one.
    pub(crate) points: usize,
    /// Pedersen keys.
    pub(crate) commitments: usize,
}

impl KeyLayout {
    /// `None` when the counts do not fit the bytes.
    pub(crate) fn read(curve: Curve, key: &[u8]) -> Option<Self> {
        let mut bytes = Bytes::new(key);
        let points = bytes.count()?;
        let head = curve.g1_bytes() + 3 * curve.g2_bytes();
        bytes.take(points.checked_mul(curve.g1_bytes())?.checked_add(head)?)?;
        let commitments = bytes.count()?;
        if points == 0 || commitments > MAX_COMMITMENTS {
            return None;
        }
        for _ in 0..commitments {
            bytes.take(2 * curve.g2_bytes())?;
            let indices = bytes.count()?;
            bytes.take(indices.checked_mul(4)?)?;
        }
        (bytes.left() == 0).then_some(Self {
            points,
            commitments,
        })
    }
}

/// A Pedersen key: which inputs its commitment is bound to, and where its points stand in the key's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommitmentKey {
    /// Indices, from 0 and ascending, into the public inputs and behind them the hashes of earlier commitments.
    pub(crate) committed: Vec<usize>,
    start: usize,
}

/// Canonical key bytes of consistent length whose coordinates are all below p:
/// u32 n ‖ α ‖ β ‖ γ ‖ δ ‖ n × IC ‖ u32 m ‖ m × (G ‖ GSigmaNeg ‖ u32 count ‖ indices from 1 as u32).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyBytes {
    curve: Curve,
    bytes: Vec<u8>,
    layout: KeyLayout,
    commitments: Vec<CommitmentKey>,
    hash: [u8; 32],
}

impl KeyBytes {
    /// `None` for counts that do not fit the length, no IC point, fewer of them than commitments want, different G of
    /// the Pedersen keys, indices that do not ascend or name nothing, or a coordinate of p or more.
    pub(crate) fn parse(curve: Curve, bytes: &[u8]) -> Option<Self> {
        let layout = KeyLayout::read(curve, bytes)?;
        let inputs = (layout.points - 1).checked_sub(layout.commitments)?;
        let points = curve.g1_bytes() * (layout.points + 1) + 3 * curve.g2_bytes();
        let mut rest = Bytes::new(bytes);
        rest.count()?;
        if !curve.are_coordinates(rest.take(points)?) {
            return None;
        }
        rest.count()?;
        let mut commitments: Vec<CommitmentKey> = Vec::with_capacity(layout.commitments);
        let mut common: Option<&[u8]> = None;
        for known in inputs..inputs + layout.commitments {
            let start = rest.offset();
            let g = rest.take(curve.g2_bytes())?;
            let sigma = rest.take(curve.g2_bytes())?;
            if *common.get_or_insert(g) != g
                || !curve.are_coordinates(g)
                || !curve.are_coordinates(sigma)
            {
                return None;
            }
            let committed = read_committed(&mut rest, known)?;
            commitments.push(CommitmentKey { committed, start });
        }
        Some(Self {
            curve,
            bytes: bytes.to_vec(),
            layout,
            commitments,
            hash: hash::vk_hash(super::SYSTEM, curve.label(), bytes),
        })
    }

    /// The key's curve.
    pub(crate) fn curve(&self) -> Curve {
        self.curve
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
        self.layout.points - 1 - self.layout.commitments
    }

    /// α.
    pub(crate) fn alpha(&self) -> &[u8] {
        self.part(4, self.curve.g1_bytes())
    }

    /// β, γ and δ.
    pub(crate) fn g2_points(&self) -> [&[u8]; 3] {
        let start = 4 + self.curve.g1_bytes();
        [0, 1, 2].map(|i| self.part(start + i * self.curve.g2_bytes(), self.curve.g2_bytes()))
    }

    /// The IC points, at least one.
    pub(crate) fn ic(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        let start = 4 + self.curve.g1_bytes() + 3 * self.curve.g2_bytes();
        self.part(start, self.layout.points * self.curve.g1_bytes())
            .chunks(self.curve.g1_bytes())
    }

    /// The Pedersen keys.
    pub(crate) fn commitments(&self) -> &[CommitmentKey] {
        &self.commitments
    }

    /// The Pedersen keys' common G and each one's GSigmaNeg; nothing without commitments.
    pub(crate) fn commitment_points(&self) -> impl Iterator<Item = &[u8]> {
        let size = self.curve.g2_bytes();
        let common = self
            .commitments
            .first()
            .map(|key| self.part(key.start, size));
        let sigmas = self.commitments.iter();
        common
            .into_iter()
            .chain(sigmas.map(move |key| self.part(key.start + size, size)))
    }

    fn part(&self, start: usize, length: usize) -> &[u8] {
        self.bytes.get(start..start + length).unwrap_or_default()
    }
}

/// Indices from 1, ascending, at most `known`, as indices from 0.
fn read_committed(bytes: &mut Bytes<'_>, known: usize) -> Option<Vec<usize>> {
    let count = bytes.count()?;
    if count > known {
        return None;
    }
    let mut committed = Vec::with_capacity(count);
    let mut next = 0;
    for _ in 0..count {
        let index = bytes.count()?.checked_sub(1)?;
        if index < next || index >= known {
            return None;
        }
        next = index + 1;
        committed.push(index);
    }
    Some(committed)
}

/// Public inputs, each 32 bytes big-endian; `None` unless the length is a multiple of 32.
pub(crate) fn parse_inputs(bytes: &[u8]) -> Option<&[[u8; 32]]> {
    let (inputs, rest) = bytes.as_chunks::<32>();
    rest.is_empty().then_some(inputs)
}
