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
    pub(super) fn of(entries: &[Entry<'a, ArkEngine>]) -> Self {
        Self(
            entries
                .chunk_by(|a, b| a.key_index == b.key_index)
                .filter_map(sums)
                .collect(),
        )
    }

    /// Their Miller value.
    pub(super) fn product(&self) -> Fq12 {
        let points: Vec<_> = self.0.iter().flat_map(KeySums::points).collect();
        let keys = self
            .0
            .iter()
            .flat_map(|sums| [&sums.key.beta, &sums.key.gamma, &sums.key.delta]);
        let pairs: Vec<_> = scale::to_affine(&points).into_iter().zip(keys).collect();
        miller::prepared_product(&pairs)
    }
}

impl KeySums<'_> {
    /// What meets β, γ and δ.
    fn points(&self) -> [G1Projective; 3] {
        let total = self.scalars.first().copied().unwrap_or(Fr::ZERO);
        [
            -scale::times(&self.key.alpha, &total),
            -scale::sum(&self.key.ic, &self.scalars),
            -self.c,
        ]
    }
}

/// The sums of entries of one key; `None` when there is none.
fn sums<'a>(group: &[Entry<'a, ArkEngine>]) -> Option<KeySums<'a>> {
    let key = group.first()?.key;
    let mut scalars = vec![Fr::ZERO; key.ic.len()];
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
    let points: Vec<_> = group.iter().map(|entry| entry.proof.c).collect();
    let weights: Vec<_> = group.iter().map(|entry| entry.weight).collect();
    Some(KeySums {
        key,
        scalars,
        c: scale::weighted_sum(&points, &weights),
    })
}
