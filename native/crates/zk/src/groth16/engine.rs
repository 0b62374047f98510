//! What batch verification needs of a pairing library for one curve: canonical bytes in, a yes or no per proof out.

use super::canonical::{KeyBytes, ProofBytes};
use crate::hash_to_field::EXPANDED_BYTES;

/// A decoded point that is no element of its group. The order is the one in which faults are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PointFault {
    /// The curve equation does not hold.
    NotOnCurve,
    /// On the curve, outside the subgroup of order r.
    NotInSubgroup,
}

/// The challenge of one equation: r = low + λ·high, λ the eigenvalue of the curve's endomorphism. Different pairs give
/// different r, since the lattice of (low, high) with r = 0 has no vector shorter than 2^126.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Weight {
    pub(crate) low: u64,
    pub(crate) high: u64,
}

impl Weight {
    /// Of an equation that stands alone.
    pub(crate) const ONE: Self = Self { low: 1, high: 0 };
}

/// The second equation of a proof with Pedersen commitments: its proof of knowledge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Knowledge {
    /// Folds several commitments: the k-th counts challenge^k. Below r.
    pub(crate) challenge: [u8; 32],
    pub(crate) weight: Weight,
}

/// One proof of a batch: group elements, inputs below r and as many as the key wants.
pub(crate) struct Entry<'a, E: Engine> {
    /// The prepared key.
    pub(crate) key: &'a E::Key,
    /// Equal for equal keys, so that an engine can gather their terms.
    pub(crate) key_index: usize,
    pub(crate) proof: &'a E::Proof,
    /// The public inputs and behind them one hash per commitment.
    pub(crate) inputs: &'a [[u8; 32]],
    pub(crate) weight: Weight,
    /// Of a proof with commitments.
    pub(crate) knowledge: Option<Knowledge>,
}

impl<E: Engine> Clone for Entry<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: Engine> Copy for Entry<'_, E> {}

/// A pairing library over one curve. Deterministic: the same entries give the same answers on every machine.
pub(crate) trait Engine: Send + Sync + Sized {
    /// A decoded key with whatever can be computed once.
    type Key: Send + Sync;
    /// A decoded proof.
    type Proof: Send + Sync;

    /// Roughly the memory, in bytes, that a decoded key holds.
    fn key_memory(bytes: &KeyBytes) -> usize;

    /// Decodes a key: every point on its curve and in its subgroup.
    fn key(&self, bytes: &KeyBytes) -> Result<Self::Key, PointFault>;

    /// Decodes a proof: every point on its curve and in its subgroup.
    fn proof(&self, bytes: &ProofBytes) -> Result<Self::Proof, PointFault>;

    /// The scalar, 32 bytes big-endian, of a longer big-endian number.
    fn reduce(expanded: &[u8; EXPANDED_BYTES]) -> [u8; 32];

    /// One answer per entry, each what verifying that entry alone would answer.
    fn verify(&self, entries: &[Entry<'_, Self>]) -> Vec<bool>;
}
