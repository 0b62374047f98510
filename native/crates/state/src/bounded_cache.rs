//! A cache bounded in weight. More of it than usual is kept for entries seen once: a block's reads are followed by its
//! writes to the same entries, however many they are.

use std::hash::Hash;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

use crate::error::StateError;

/// A cache whose entries weigh what `W` says.
pub(crate) type BoundedCache<K, V, W> = Cache<K, V, W, DefaultHashBuilder>;

/// A cache of about `entries` entries and at most `weight`.
pub(crate) fn bounded_cache<K: Eq + Hash, V: Clone, W: Weighter<K, V> + Clone>(
    entries: usize,
    weight: usize,
    weighter: W,
) -> Result<BoundedCache<K, V, W>, StateError> {
    let options = OptionsBuilder::new()
        .estimated_items_capacity(entries)
        .weight_capacity(weight as u64)
        .hot_allocation(0.6)
        .build()
        .map_err(|_| StateError::Inconsistent("cache options"))?;
    Ok(Cache::with_options(
        options,
        weighter,
        DefaultHashBuilder::default(),
        DefaultLifecycle::default(),
    ))
}
