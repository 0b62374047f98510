//! Batch verification with a verdict per proof, over keys and curves. Every equation is weighted with a 128-bit
//! challenge derived by SHA-256 from all keys, inputs and proofs of its curve (Fiat-Shamir), so every validator computes
//! the same, and a false proof passes with probability 2^-128. Owns the order of checks and the challenges; group
//! arithmetic is the engine's.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::ark::{ArkBls12381, ArkBn254};
use super::canonical::{KeyBytes, ProofBytes};
use super::engine::{Engine, Entry, Knowledge, PointFault, Weight};
use super::key_cache::KeyCache;
use super::pedersen::{self, Hashed};
use crate::curve::Curve;
use crate::hash;
use crate::threads;
use crate::verdict::ErrorCode;

/// One proof to verify, of its key's curve. The hashes are those of the bytes beside them.
#[derive(Clone, Copy)]
pub(crate) struct Claim<'a> {
    pub(crate) key: &'a KeyBytes,
    pub(crate) proof: &'a ProofBytes,
    pub(crate) proof_hash: [u8; 32],
    pub(crate) inputs: &'a [[u8; 32]],
    pub(crate) public_inputs_hash: [u8; 32],
}

static BN254: Verifier<ArkBn254> = Verifier {
    engine: ArkBn254::new(),
    keys: KeyCache::new(),
};
static BLS12_381: Verifier<ArkBls12381> = Verifier {
    engine: ArkBls12381::new(),
    keys: KeyCache::new(),
};

/// The verdict of each claim, in their order.
pub(crate) fn verify(claims: &[Claim<'_>]) -> Vec<Result<(), ErrorCode>> {
    let of = |curve| -> Vec<_> {
        let curve_of = |claim: &&Claim<'_>| claim.key.curve() == curve;
        claims.iter().filter(curve_of).copied().collect()
    };
    let (bn254, bls12_381) = (of(Curve::Bn254), of(Curve::Bls12381));
    let (bn254, bls12_381) = threads::run(|| (BN254.verify(&bn254), BLS12_381.verify(&bls12_381)));
    let (mut bn254, mut bls12_381) = (bn254.into_iter(), bls12_381.into_iter());
    claims
        .iter()
        .map(|claim| match claim.key.curve() {
            Curve::Bn254 => bn254.next(),
            Curve::Bls12381 => bls12_381.next(),
        })
        .map(|verdict| verdict.unwrap_or(Err(ErrorCode::InvalidProof)))
        .collect()
}

/// Whether every point of a key is on its curve and in its subgroup; a good key stays prepared.
pub(crate) fn check_key(key: &KeyBytes) -> Result<(), ErrorCode> {
    let checked = match key.curve() {
        Curve::Bn254 => BN254.prepare(key).map(|_| ()),
        Curve::Bls12381 => BLS12_381.prepare(key).map(|_| ()),
    };
    checked.map_err(code)
}

fn code(fault: PointFault) -> ErrorCode {
    match fault {
        PointFault::NotOnCurve => ErrorCode::NotOnCurve,
        PointFault::NotInSubgroup => ErrorCode::NotInSubgroup,
    }
}

struct Verifier<E: Engine> {
    engine: E,
    keys: KeyCache<E::Key>,
}

type PreparedKey<E> = Result<Arc<<E as Engine>::Key>, PointFault>;

/// A claim whose points are group elements.
struct Decoded<E: Engine> {
    key: Arc<E::Key>,
    proof: E::Proof,
    /// Of a proof with commitments.
    hashed: Option<Hashed>,
}

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
        let challenges = Challenges::of(claims, &decoded);
        let entries = entries(claims, &decoded, &key_indices, &challenges);
        let mut holds = self.engine.verify(&entries).into_iter();
        let mut verdict = || match holds.next() {
            Some(true) => Ok(()),
            _ => Err(ErrorCode::InvalidProof),
        };
        decoded
            .iter()
            .map(|decoded| match decoded {
                Ok(_) => verdict(),
                Err(code) => Err(*code),
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
        (
            keys.par_iter().map(|key| self.prepare(key)).collect(),
            indices,
        )
    }

    fn prepare(&self, key: &KeyBytes) -> PreparedKey<E> {
        self.keys
            .get_or(key.hash(), E::key_memory(key), || self.engine.key(key))
    }

    /// Checks in the order of the error classes up to subgroup membership.
    fn decode(&self, claim: &Claim<'_>, key: &PreparedKey<E>) -> Result<Decoded<E>, ErrorCode> {
        if claim.proof.commitments() != claim.key.commitments().len() {
            return Err(ErrorCode::Malformed);
        }
        if claim.inputs.len() != claim.key.input_count() {
            return Err(ErrorCode::WrongInputCount);
        }
        if !claim.key.curve().inputs_in_field(claim.inputs) {
            return Err(ErrorCode::InputOutOfField);
        }
        let proof = self.engine.proof(claim.proof);
        let faults = [proof.as_ref().err(), key.as_ref().err()];
        if let Some(fault) = faults.into_iter().flatten().min() {
            return Err(code(*fault));
        }
        let (Ok(proof), Ok(key)) = (proof, key) else {
            return Err(ErrorCode::NotOnCurve);
        };
        let has_commitments = claim.proof.commitments() > 0;
        Ok(Decoded {
            key: Arc::clone(key),
            proof,
            hashed: has_commitments
                .then(|| pedersen::hash::<E>(claim.key, claim.proof, claim.inputs)),
        })
    }
}

/// What is left for the engine: the claims that decoded, with their weights.
fn entries<'a, E: Engine>(
    claims: &'a [Claim<'_>],
    decoded: &'a [Result<Decoded<E>, ErrorCode>],
    key_indices: &[usize],
    challenges: &Challenges,
) -> Vec<Entry<'a, E>> {
    let sound = (claims.iter().zip(decoded).zip(key_indices)).filter_map(
        |((claim, decoded), key_index)| Some((claim, decoded.as_ref().ok()?, *key_index)),
    );
    sound
        .zip(0_u64..)
        .map(|((claim, decoded, key_index), index)| {
            let hashed = decoded.hashed.as_ref();
            Entry {
                key: decoded.key.as_ref(),
                key_index,
                proof: &decoded.proof,
                inputs: hashed.map_or(claim.inputs, |hashed| &hashed.inputs),
                weight: challenges.proof(index),
                knowledge: hashed.map(|hashed| Knowledge {
                    challenge: hashed.challenge,
                    weight: challenges.knowledge(index),
                }),
            }
        })
        .collect()
}

/// The challenges of a batch, from the transcript of all its decoded claims.
struct Challenges {
    seed: [u8; 32],
    /// The equation of a single proof needs no weight.
    single: bool,
}

impl Challenges {
    fn of<T>(claims: &[Claim<'_>], decoded: &[Result<T, ErrorCode>]) -> Self {
        let mut count = 0_u64;
        let mut transcript = Vec::new();
        for (claim, _) in claims.iter().zip(decoded).filter(|(_, d)| d.is_ok()) {
            count += 1;
            transcript.extend_from_slice(&claim.key.hash());
            transcript.extend_from_slice(&claim.public_inputs_hash);
            transcript.extend_from_slice(&claim.proof_hash);
        }
        Self {
            seed: hash::sha256(&[b"cairn/batch/1", &count.to_be_bytes(), &transcript]),
            single: count == 1,
        }
    }

    /// Of the proof at `index`.
    fn proof(&self, index: u64) -> Weight {
        if self.single {
            Weight::ONE
        } else {
            self.challenge(b"cairn/batch/1/challenge", index)
        }
    }

    /// Of its proof of knowledge.
    fn knowledge(&self, index: u64) -> Weight {
        self.challenge(b"cairn/batch/1/knowledge", index)
    }

    /// Never zero, so that an equation always counts.
    fn challenge(&self, domain: &[u8], index: u64) -> Weight {
        let digest = hash::sha256(&[domain, &self.seed, &index.to_be_bytes()]);
        let mut words = digest
            .as_chunks::<8>()
            .0
            .iter()
            .map(|chunk| u64::from_be_bytes(*chunk));
        let (low, high) = (words.next().unwrap_or(1), words.next().unwrap_or(0));
        if (low, high) == (0, 0) {
            Weight::ONE
        } else {
            Weight { low, high }
        }
    }
}
