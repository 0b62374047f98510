//! The terms of a batch's equations that are gathered per key: with weights rᵢ,
//! ∏ e(rᵢAᵢ, Bᵢ) · ∏ over keys e(−Σrᵢ·α, β) · e(−Σrᵢ·Lᵢ, γ) · e(−ΣrᵢCᵢ, δ) = 1, where Lᵢ = IC₀ + Σ inputᵢⱼ·ICⱼ₊₁ plus
//! the commitments Dᵢₖ; and with weights sᵢ for the proofs of knowledge Kᵢ,
//! ∏ over keys e(ΣsᵢKᵢ, G) · ∏ₖ e(Σsᵢ·challengeᵢᵏ·Dᵢₖ, GSigmaNegₖ) = 1.

use ark_ff::{AdditiveGroup, Field};

use super::curve::{G1Sum, PairingCurve, Scalar, Target};
use super::{ArkEngine, Key, miller, scale};
use crate::groth16::engine::{Entry, Knowledge, Weight};

/// Sums over the entries of one key.
struct KeySums<'a, C: PairingCurve> {
    key: &'a Key<C>,
    /// What meets β, γ and δ, then the Pedersen keys' G and their GSigmaNeg.
    points: Vec<G1Sum<C>>,
}

/// The gathered terms of some entries, which are sorted by key.
pub(super) struct Aggregate<'a, C: PairingCurve>(Vec<KeySums<'a, C>>);

impl<'a, C: PairingCurve> Aggregate<'a, C> {
    /// Gathers the terms.
    pub(super) fn of(entries: &[Entry<'a, ArkEngine<C>>]) -> Self {
        Self(
            entries
                .chunk_by(|a, b| a.key_index == b.key_index)
                .filter_map(sums)
                .collect(),
        )
    }

    /// Their Miller value.
    pub(super) fn product(&self) -> Target<C> {
        let points: Vec<_> = (self.0.iter())
            .flat_map(|sums| sums.points.iter().copied())
            .collect();
        let lines = (self.0.iter()).flat_map(|sums| sums.key.lines.iter().take(sums.points.len()));
        let pairs: Vec<_> = scale::to_affine::<C>(&points)
            .into_iter()
            .zip(lines)
            .collect();
        miller::prepared_product(&pairs)
    }
}

/// The sums of entries of one key; `None` when there is none.
fn sums<'a, C: PairingCurve>(group: &[Entry<'a, ArkEngine<C>>]) -> Option<KeySums<'a, C>> {
    let key = group.first()?.key;
    let scalars = input_sums(key, group);
    let total = scalars.first().copied().unwrap_or(Scalar::<C>::ZERO);
    let c: Vec<_> = group.iter().map(|entry| entry.proof.c).collect();
    let weights: Vec<_> = group.iter().map(|entry| entry.weight).collect();
    let mut inputs = scale::sum::<C>(&key.ic, &scalars);
    let knowledge = if key.commitments() > 0 {
        inputs += commitment_sum(group);
        knowledge_sums(key, group)
    } else {
        Vec::new()
    };
    let main = [
        -scale::times::<C>(&key.alpha, &total),
        -inputs,
        -scale::weighted_sum::<C>(&c, &weights),
    ];
    Some(KeySums {
        key,
        points: main.into_iter().chain(knowledge).collect(),
    })
}

/// Σrᵢ, then Σrᵢ·inputᵢⱼ.
fn input_sums<C: PairingCurve>(key: &Key<C>, group: &[Entry<'_, ArkEngine<C>>]) -> Vec<Scalar<C>> {
    let mut scalars = vec![Scalar::<C>::ZERO; key.ic.len()];
    for entry in group {
        let weight = scale::scalar::<C>(entry.weight);
        let mut sums = scalars.iter_mut();
        if let Some(total) = sums.next() {
            *total += weight;
        }
        for (sum, input) in sums.zip(entry.inputs) {
            *sum += weight * C::scalar(input);
        }
    }
    scalars
}

/// ΣrᵢDᵢₖ over all commitments.
fn commitment_sum<C: PairingCurve>(group: &[Entry<'_, ArkEngine<C>>]) -> G1Sum<C> {
    let weighted = group
        .iter()
        .flat_map(|entry| entry.proof.commitments.iter().map(|d| (*d, entry.weight)));
    let (points, weights): (Vec<_>, Vec<_>) = weighted.unzip();
    scale::weighted_sum::<C>(&points, &weights)
}

/// What meets G and each GSigmaNeg.
fn knowledge_sums<C: PairingCurve>(
    key: &Key<C>,
    group: &[Entry<'_, ArkEngine<C>>],
) -> Vec<G1Sum<C>> {
    const NONE: Knowledge = Knowledge {
        challenge: [0; 32],
        weight: Weight::ONE,
    };
    let of = |entry: &Entry<'_, ArkEngine<C>>| entry.knowledge.unwrap_or(NONE);
    let weights: Vec<_> = group.iter().map(|entry| of(entry).weight).collect();
    let proofs: Vec<_> = group.iter().map(|entry| entry.proof.knowledge).collect();
    let mut sums = vec![scale::weighted_sum::<C>(&proofs, &weights)];
    let challenges: Vec<_> = group
        .iter()
        .map(|entry| C::scalar(&of(entry).challenge))
        .collect();
    let mut powers = vec![Scalar::<C>::ONE; group.len()];
    for index in 0..key.commitments() {
        let points: Vec<_> = (group.iter())
            .filter_map(|entry| entry.proof.commitments.get(index).copied())
            .collect();
        sums.push(if index == 0 {
            scale::weighted_sum::<C>(&points, &weights)
        } else {
            for (power, challenge) in powers.iter_mut().zip(&challenges) {
                *power *= challenge;
            }
            let scalars: Vec<_> = (powers.iter().zip(&weights))
                .map(|(power, weight)| *power * scale::scalar::<C>(*weight))
                .collect();
            scale::sum::<C>(&points, &scalars)
        });
    }
    sums
}
