//! Contract code by its keccak hash: durable rows behind a cache bounded in bytes.

use alloy_primitives::{B256, Bytes};
use fjall::Keyspace;
use quick_cache::Weighter;

use crate::bounded_cache::{BoundedCache, bounded_cache};
use crate::error::StateError;

#[derive(Clone)]
struct ByLength;

impl Weighter<B256, Bytes> for ByLength {
    fn weight(&self, _: &B256, code: &Bytes) -> u64 {
        code.len() as u64 + 96
    }
}

/// Code by hash.
pub(crate) struct CodeStore {
    rows: Keyspace,
    cache: BoundedCache<B256, Bytes, ByLength>,
}

impl CodeStore {
    pub(crate) fn new(rows: Keyspace, cache_bytes: usize) -> Result<Self, StateError> {
        let cache = bounded_cache(cache_bytes / 4096, cache_bytes, ByLength)?;
        Ok(Self { rows, cache })
    }

    /// Where the rows are written.
    pub(crate) fn rows(&self) -> &Keyspace {
        &self.rows
    }

    /// The code with a hash, if it is durable.
    pub(crate) fn get(&self, hash: &B256) -> Result<Option<Bytes>, StateError> {
        if let Some(code) = self.cache.get(hash) {
            return Ok(Some(code));
        }
        let Some(row) = self.rows.get(hash)? else {
            return Ok(None);
        };
        let code = Bytes::copy_from_slice(&row);
        self.cache.insert(*hash, code.clone());
        Ok(Some(code))
    }
}
