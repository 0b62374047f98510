//! A bounded map for things that are cheap to lose: two generations, the older one dropped when the newer is full, so
//! that an entry lives for at least `capacity` further insertions.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::Hash;

/// A bounded concurrent map of cloneable values.
#[derive(Debug)]
pub(crate) struct BoundedMap<K, V> {
    generations: Mutex<Generations<K, V>>,
    capacity: usize,
}

#[derive(Debug)]
struct Generations<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
}

impl<K: Eq + Hash, V: Clone> BoundedMap<K, V> {
    /// Holds at most `2 * capacity` entries.
    pub(crate) fn new(capacity: usize) -> Self {
        let generations = Generations {
            young: HashMap::new(),
            old: HashMap::new(),
        };
        Self {
            generations: Mutex::new(generations),
            capacity: capacity.max(1),
        }
    }

    /// The value of `key`, if it is still held.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        let generations = self.generations.lock();
        generations
            .young
            .get(key)
            .or_else(|| generations.old.get(key))
            .cloned()
    }

    /// Holds `value`; may drop the older generation.
    pub(crate) fn insert(&self, key: K, value: V) {
        let mut generations = self.generations.lock();
        if generations.young.len() >= self.capacity {
            generations.old = std::mem::take(&mut generations.young);
        }
        generations.young.insert(key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_latest_and_stays_bounded() {
        let map = BoundedMap::new(10);
        for key in 0..100u32 {
            map.insert(key, key * 2);
            assert_eq!(map.get(&key), Some(key * 2));
        }
        assert_eq!(map.get(&92), Some(184));
        assert_eq!(map.get(&5), None);
        let generations = map.generations.lock();
        assert!(generations.young.len() + generations.old.len() <= 20);
    }
}
