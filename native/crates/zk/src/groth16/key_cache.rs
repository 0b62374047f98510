//! Prepared keys by hash, bounded in memory; the least recently used go first. Only saves work: gas and verdicts never
//! depend on what is cached.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Most memory that prepared keys may hold, in the bytes their owner declares.
const MAX_BYTES: usize = 32 << 20;

struct Slot<K> {
    key: Arc<K>,
    bytes: usize,
    used: u64,
}

struct Slots<K> {
    by_hash: BTreeMap<[u8; 32], Slot<K>>,
    bytes: usize,
    clock: u64,
}

/// A bounded map from key hash to prepared key.
pub(crate) struct KeyCache<K> {
    slots: Mutex<Slots<K>>,
    max_bytes: usize,
}

impl<K> KeyCache<K> {
    /// An empty cache.
    pub(crate) const fn new() -> Self {
        Self::with_limit(MAX_BYTES)
    }

    const fn with_limit(max_bytes: usize) -> Self {
        Self {
            slots: Mutex::new(Slots {
                by_hash: BTreeMap::new(),
                bytes: 0,
                clock: 0,
            }),
            max_bytes,
        }
    }

    /// The prepared key of this hash; prepared outside the lock when absent, kept only when preparing succeeds.
    pub(crate) fn get_or<E>(
        &self,
        hash: [u8; 32],
        bytes: usize,
        prepare: impl FnOnce() -> Result<K, E>,
    ) -> Result<Arc<K>, E> {
        if let Some(key) = self.hit(&hash) {
            return Ok(key);
        }
        let key = Arc::new(prepare()?);
        self.keep(hash, bytes, Arc::clone(&key));
        Ok(key)
    }

    fn hit(&self, hash: &[u8; 32]) -> Option<Arc<K>> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.clock += 1;
        let now = slots.clock;
        let slot = slots.by_hash.get_mut(hash)?;
        slot.used = now;
        Some(Arc::clone(&slot.key))
    }

    fn keep(&self, hash: [u8; 32], bytes: usize, key: Arc<K>) {
        if bytes > self.max_bytes {
            return;
        }
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.clock += 1;
        let used = slots.clock;
        slots.bytes += bytes;
        if let Some(old) = slots.by_hash.insert(hash, Slot { key, bytes, used }) {
            slots.bytes -= old.bytes;
        }
        while slots.bytes > self.max_bytes {
            let oldest = slots
                .by_hash
                .iter()
                .min_by_key(|(_, slot)| slot.used)
                .map(|(hash, _)| *hash);
            let Some(slot) = oldest.and_then(|hash| slots.by_hash.remove(&hash)) else {
                break;
            };
            slots.bytes -= slot.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(cache: &KeyCache<u8>, id: u8) -> (u8, bool) {
        let mut prepared = false;
        let key = cache.get_or([id; 32], 40, || {
            prepared = true;
            Ok::<_, ()>(id)
        });
        (*key.expect("prepared"), prepared)
    }

    #[test]
    fn the_least_recently_used_key_goes_first() {
        let cache = KeyCache::with_limit(100);
        assert_eq!(
            [get(&cache, 1), get(&cache, 2), get(&cache, 1)],
            [(1, true), (2, true), (1, false)]
        );
        assert_eq!(get(&cache, 3), (3, true));
        assert_eq!([get(&cache, 1), get(&cache, 2)], [(1, false), (2, true)]);
    }

    #[test]
    fn a_failed_preparation_is_not_kept() {
        let cache = KeyCache::<u8>::with_limit(100);
        assert!(cache.get_or([9; 32], 40, || Err("fault")).is_err());
        assert_eq!(get(&cache, 9), (9, true));
    }

    #[test]
    fn a_key_above_the_limit_is_used_but_not_kept() {
        let cache = KeyCache::<u8>::with_limit(39);
        assert_eq!([get(&cache, 1), get(&cache, 1)], [(1, true), (1, true)]);
    }
}
