//! The engine on arkworks' BN254 field and curve arithmetic, with a Miller loop, subgroup test and challenge scaling
//! of its own (arkworks' are the oracle of the tests).

mod aggregate;
mod line;
mod miller;
mod point;
mod scale;
mod search;

use ark_bn254::{Fr, G1Affine, G2Affine};
use ark_ff::{AdditiveGroup, BigInt, PrimeField};

use self::line::PreparedLines;
use super::canonical::{G1_BYTES, KeyBytes, ProofBytes};
use super::engine::{Engine, Entry, PointFault};
use crate::word::Word;

/// BN254 on arkworks.
pub(crate) struct ArkEngine;

/// A key's points, the G2 ones as the lines that the Miller loop needs of them.
pub(crate) struct Key {
    alpha: G1Affine,
    beta: PreparedLines,
    gamma: PreparedLines,
    delta: PreparedLines,
    ic: Vec<G1Affine>,
}

/// A proof's points.
pub(crate) struct Proof {
    a: G1Affine,
    b: G2Affine,
    c: G1Affine,
}

impl Engine for ArkEngine {
    type Key = Key;
    type Proof = Proof;

    fn key_memory(bytes: &KeyBytes) -> usize {
        3 * PreparedLines::MEMORY + (bytes.ic().len() / G1_BYTES) * size_of::<G1Affine>()
    }

    fn key(&self, bytes: &KeyBytes) -> Result<Key, PointFault> {
        let alpha = point::g1(bytes.alpha())?;
        let ic = bytes
            .ic()
            .chunks(G1_BYTES)
            .map(point::g1)
            .collect::<Result<_, _>>()?;
        let [beta, gamma, delta] = bytes.g2_points().map(point::g2);
        let points = [beta?, gamma?, delta?];
        for point in &points {
            point::check_g2_subgroup(point)?;
        }
        let [beta, gamma, delta] = line::prepare(points);
        Ok(Key {
            alpha,
            beta,
            gamma,
            delta,
            ic,
        })
    }

    fn proof(&self, bytes: &ProofBytes) -> Result<Proof, PointFault> {
        let (a, b, c) = bytes.points();
        let proof = Proof {
            a: point::g1(a)?,
            b: point::g2(b)?,
            c: point::g1(c)?,
        };
        point::check_g2_subgroup(&proof.b)?;
        Ok(proof)
    }

    fn verify(&self, entries: &[Entry<'_, Self>]) -> Vec<bool> {
        let mut order: Vec<_> = (0..entries.len()).collect();
        order.sort_by_key(|i| entries.get(*i).map(|entry| entry.key_index));
        let sorted: Vec<_> = order
            .iter()
            .filter_map(|i| entries.get(*i).copied())
            .collect();
        let held = search::verify(&sorted);
        let mut verdicts = vec![false; entries.len()];
        for (index, holds) in order.into_iter().zip(held) {
            if let Some(verdict) = verdicts.get_mut(index) {
                *verdict = holds;
            }
        }
        verdicts
    }
}

/// A public input; below r by the caller's check.
fn scalar(input: &[u8; 32]) -> Fr {
    Fr::from_bigint(BigInt(Word::from_be(input).0)).unwrap_or(Fr::ZERO)
}

#[cfg(test)]
mod tests {
    use ark_bn254::Bn254;
    use ark_ec::AffineRepr;
    use ark_ec::pairing::{MillerLoopOutput, Pairing};
    use ark_ff::UniformRand;

    use super::*;

    /// A seeded generator for points and scalars.
    pub(super) fn rng(seed: u64) -> impl ark_std::rand::RngCore {
        use ark_std::rand::SeedableRng;
        ark_std::rand::rngs::StdRng::seed_from_u64(seed)
    }

    #[test]
    fn the_miller_loops_give_arkworks_pairings() {
        let mut rng = rng(3);
        let mut pairs: Vec<_> = (0..37)
            .map(|_| (G1Affine::rand(&mut rng), G2Affine::rand(&mut rng)))
            .collect();
        pairs.push((G1Affine::identity(), G2Affine::generator()));
        pairs.push((G1Affine::generator(), G2Affine::identity()));
        let final_of = |value| Bn254::final_exponentiation(MillerLoopOutput(value));
        let expected: Vec<_> = pairs
            .iter()
            .map(|(a, b)| Some(Bn254::pairing(a, b)))
            .collect();
        for size in [1, 3, 37] {
            let values = miller::products(&pairs, size);
            let sums = expected
                .chunks(size)
                .map(|part| Some(part.iter().flatten().sum()));
            assert!(
                values.iter().copied().map(final_of).eq(sums),
                "groups of {size}"
            );
        }
        let all = expected.iter().flatten().sum();
        let prepared: Vec<_> = pairs
            .iter()
            .map(|(a, b)| (*a, line::prepare([*b, *b, *b])))
            .collect();
        let prepared: Vec<_> = prepared
            .iter()
            .map(|(a, [_, lines, _])| (*a, lines))
            .collect();
        assert_eq!(final_of(miller::prepared_product(&prepared)), Some(all));
    }
}
