//! Batch verification with a verdict per proof. Every proof is weighted with a 128-bit challenge derived by SHA-256
//! from all keys, inputs and proofs of the batch (Fiat-Shamir), so every validator computes the same, and a false proof
//! passes with probability 2^-128. Owns the order of checks and the challenges; group arithmetic is the engine's.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::ark::ArkEngine;
use super::canonical::{self, KeyBytes, ProofBytes};
use super::engine::{Engine, Entry, PointFault, Weight};
use super::key_cache::KeyCache;
use crate::hash;
use crate::threads;
use crate::verdict::ErrorCode;

/// One proof to verify. The hashes are those of the bytes beside them.
pub(crate) struct Claim<'a> {
    pub(crate) key: &'a KeyBytes,
    pub(crate) proof: &'a ProofBytes,
    pub(crate) proof_hash: [u8; 32],
    pub(crate) inputs: &'a [[u8; 32]],
    pub(crate) public_inputs_hash: [u8; 32],
}

/// The verdict of each claim, in their order.
pub(crate) fn verify(claims: &[Claim<'_>]) -> Vec<Result<(), ErrorCode>> {
    static VERIFIER: Verifier<ArkEngine> = Verifier {
        engine: ArkEngine,
        keys: KeyCache::new(),
    };
    threads::run(|| VERIFIER.verify(claims))
}

struct Verifier<E: Engine> {
    engine: E,
    keys: KeyCache<E::Key>,
}

type PreparedKey<E> = Result<Arc<<E as Engine>::Key>, PointFault>;

impl<E: Engine> Verifier<E> {
    fn verify(&self, claims: &[Claim<'_>]) -> Vec<Result<(), ErrorCode>> {
        let (keys, key_indices) = self.prepare_keys(claims);
        let decoded: Vec<_> = claims
            .par_iter()
            .zip(&key_indices)
            .map(|(claim, index)| {
                keys.get(*index)
                    .map_or(Err(ErrorCode::Malformed), |key| self.decode(claim, key))
            })
            .collect();
        let weights = challenges(claims, &decoded);
        let entries: Vec<_> = (claims.iter().zip(&decoded).zip(key_indices))
            .filter_map(|((claim, decoded), key_index)| {
                Some((claim, decoded.as_ref().ok()?, key_index))
            })
            .zip(weights)
            .map(|((claim, (key, proof), key_index), weight)| Entry {
                key: key.as_ref(),
                key_index,
                proof,
                inputs: claim.inputs,
                weight,
            })
            .collect();
        let mut holds = self.engine.verify(&entries).into_iter();
        let verdict = |holds: bool| {
            if holds {
                Ok(())
            } else {
                Err(ErrorCode::InvalidProof)
            }
        };
        decoded
            .iter()
            .map(|d| {
                d.as_ref()
                    .map_or_else(|code| Err(*code), |_| verdict(holds.next() == Some(true)))
            })
            .collect()
    }

    /// The distinct keys, and for each claim the index of its own.
    fn prepare_keys(&self, claims: &[Claim<'_>]) -> (Vec<PreparedKey<E>>, Vec<usize>) {
        let mut index_of = BTreeMap::new();
        let mut keys = Vec::new();
        let mut indices = Vec::with_capacity(claims.len());
        for claim in claims {
            indices.push(*index_of.entry(claim.key.hash()).or_insert_with(|| {
                keys.push(claim.key);
                keys.len() - 1
            }));
        }
        let prepare = |key: &&KeyBytes| {
            self.keys
                .get_or(key.hash(), E::key_memory(key), || self.engine.key(key))
        };
        (keys.par_iter().map(prepare).collect(), indices)
    }

    /// Checks in the order of the error classes up to subgroup membership.
    fn decode(
        &self,
        claim: &Claim<'_>,
        key: &PreparedKey<E>,
    ) -> Result<(Arc<E::Key>, E::Proof), ErrorCode> {
        if claim.inputs.len() != claim.key.input_count() {
            return Err(ErrorCode::WrongInputCount);
        }
        if !canonical::inputs_in_field(claim.inputs) {
            return Err(ErrorCode::InputOutOfField);
        }
        let proof = self.engine.proof(claim.proof);
        let fault = [proof.as_ref().err(), key.as_ref().err()]
            .into_iter()
            .flatten()
            .min()
            .copied();
        match (proof, key, fault) {
            (Ok(proof), Ok(key), _) => Ok((Arc::clone(key), proof)),
            (_, _, Some(PointFault::NotOnCurve)) => Err(ErrorCode::NotOnCurve),
            (_, _, _) => Err(ErrorCode::NotInSubgroup),
        }
    }
}

/// A challenge for each decoded claim, from the transcript of all of them.
fn challenges<T>(claims: &[Claim<'_>], decoded: &[Result<T, ErrorCode>]) -> Vec<Weight> {
    let decoded: Vec<_> = claims
        .iter()
        .zip(decoded)
        .filter(|(_, d)| d.is_ok())
        .map(|(claim, _)| claim)
        .collect();
    if decoded.len() == 1 {
        return vec![Weight { low: 1, high: 0 }];
    }
    let mut transcript = b"cairn/batch/1".to_vec();
    transcript.extend_from_slice(&(decoded.len() as u64).to_be_bytes());
    for claim in &decoded {
        transcript.extend_from_slice(&claim.key.hash());
        transcript.extend_from_slice(&claim.public_inputs_hash);
        transcript.extend_from_slice(&claim.proof_hash);
    }
    let seed = hash::sha256(&[&transcript]);
    (0..decoded.len() as u64)
        .map(|index| challenge(&seed, index))
        .collect()
}

/// Never zero, so that an entry always counts.
fn challenge(seed: &[u8; 32], index: u64) -> Weight {
    let digest = hash::sha256(&[b"cairn/batch/1/challenge", seed, &index.to_be_bytes()]);
    let mut words = digest
        .as_chunks::<8>()
        .0
        .iter()
        .map(|chunk| u64::from_be_bytes(*chunk));
    let (low, high) = (words.next().unwrap_or(1), words.next().unwrap_or(0));
    if (low, high) == (0, 0) {
        Weight { low: 1, high: 0 }
    } else {
        Weight { low, high }
    }
}
