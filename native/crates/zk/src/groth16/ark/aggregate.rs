//! The terms of a batch's equation that are gathered per key: with weights rᵢ,
//! ∏ e(rᵢAᵢ, Bᵢ) · ∏ over keys e(−Σrᵢ·α, β) · e(−Σrᵢ·Lᵢ, γ) · e(−ΣrᵢCᵢ, δ) = 1, where Lᵢ = IC₀ + Σ inputᵢⱼ·ICⱼ₊₁.

use ark_bn254::{Fq12, Fr, G1Projective};
use ark_ff::AdditiveGroup;

use super::{ArkEngine, Key, miller, scale};
use crate::groth16::engine::Entry;

/// Sums over the entries of one key.
struct KeySums<'a> {
    key: &'a Key,
    /// Σrᵢ, then Σrᵢ·inputᵢⱼ.
    scalars: Vec<Fr>,
    c: G1Projective,
}

/// The gathered terms of some entries, which are sorted by key.
pub(super) struct Aggregate<'a>(Vec<KeySums<'a>>);

impl<'a> Aggregate<'a> {
    /// Of entries whose rᵢCᵢ are not known yet.
    pub(super) fn of_all(entries: &[Entry<'a, ArkEngine>]) -> Self {
        let of_key = |group: &[Entry<'a, ArkEngine>]| {
            let points: Vec<_> = group.iter().map(|entry| entry.proof.c).collect();
            let weights: Vec<_> = group.iter().map(|entry| entry.weight).collect();
            sums(group, scale::weighted_sum(&points, &weights))
        };
        Self(entries.chunk_by(|a, b| a.key_index == b.key_index).filter_map(of_key).collect())
    }

    /// Of entries whose rᵢCᵢ are known.
    pub(super) fn of(entries: &[Entry<'a, ArkEngine>], scaled_c: &[G1Projective]) -> Self {
        let mut rest = scaled_c;
        let of_key = |group: &[Entry<'a, ArkEngine>]| {
            let (now, later) = rest.split_at_checked(group.len())?;
            rest = later;
            sums(group, now.iter().sum())
        };
        Self(entries.chunk_by(|a, b| a.key_index == b.key_index).filter_map(of_key).collect())
    }

    /// Whether the equation holds with this product of the fresh pairs.
    pub(super) fn completes(&self, fresh: Fq12) -> bool {
        let points = self.0.iter().flat_map(KeySums::points).collect::<Vec<_>>();
        let keys = self.0.iter().flat_map(|sums| [&sums.key.beta, &sums.key.gamma, &sums.key.delta]);
        let pairs: Vec<_> = scale::to_affine(&points).into_iter().zip(keys).collect();
        super::is_one(fresh * miller::prepared_product(&pairs))
    }
}

impl KeySums<'_> {
    /// What meets β, γ and δ.
    fn points(&self) -> [G1Projective; 3] {
        let total = self.scalars.first().copied().unwrap_or(Fr::ZERO);
        [-(self.key.alpha * total), -scale::sum(&self.key.ic, &self.scalars), -self.c]
    }
}

/// The sums of entries of one key; `None` when there is none.
fn sums<'a>(group: &[Entry<'a, ArkEngine>], c: G1Projective) -> Option<KeySums<'a>> {
    let first = group.first()?;
    let mut scalars = vec![Fr::ZERO; first.key.ic.len()];
    for entry in group {
        let weight = scale::scalar(entry.weight);
        let mut sums = scalars.iter_mut();
        if let Some(total) = sums.next() {
            *total += weight;
        }
        for (sum, input) in sums.zip(entry.inputs) {
            *sum += weight * super::scalar(input);
        }
    }
    Some(KeySums { key: first.key, scalars, c })
}
