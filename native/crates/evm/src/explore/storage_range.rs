//! `debug_storageRangeAt`: an account's storage as a transaction of a block met it, in the order of the trie's keys.

use super::ExploreFailure;
use crate::chain::Chain;
use crate::json::JsonWriter;
use crate::trace::{NamedBlock, TouchedStorage, storage_before};
use alloy_primitives::{Address, B256, U256, keccak256};
use alloy_trie::EMPTY_ROOT_HASH;
use std::collections::BTreeMap;

impl Chain {
    /// At most `most` slots from a key on, and the key to go on from.
    pub(super) fn storage_range(
        &self,
        block: NamedBlock,
        tx_index: usize,
        address: Address,
        start: B256,
        most: usize,
    ) -> Result<String, ExploreFailure> {
        let TouchedStorage {
            base,
            slots,
            cleared,
        } = storage_before(self, block, tx_index, address)?;
        let mut found: BTreeMap<B256, (Option<U256>, U256)> = BTreeMap::new();
        let state = self.state_at(base)?;
        let account = state.listed(&address)?.filter(|_| !cleared);
        let had_storage = account
            .as_ref()
            .is_some_and(|account| account.account.storage_root != EMPTY_ROOT_HASH);
        if let Some(account) = account {
            // As many slots of the base may be gone as the transactions before touched.
            let enough = most.saturating_add(slots.len()).saturating_add(1);
            state.list_slots(&account, &start, |key, value| {
                found.insert(key, (None, value));
                Ok(found.len() < enough)
            })?;
        }
        for (slot, value) in slots {
            let key = keccak256(slot.to_be_bytes::<32>());
            if value.is_zero() {
                found.remove(&key);
            } else if key >= start {
                found.insert(key, (Some(slot), value));
            }
        }
        let mut json = JsonWriter::default();
        json.open_object();
        json.key("storage");
        if found.is_empty() && !had_storage {
            json.raw("null");
            json.optional_bytes_field("nextKey", None);
            json.close_object();
            return Ok(json.finish());
        }
        json.open_object();
        for (key, (slot, value)) in found.iter().take(most) {
            let slot = match slot {
                Some(slot) => Some(*slot),
                None => self.store.slot_of(key)?,
            };
            let slot = slot.map(|slot| slot.to_be_bytes::<32>());
            json.key(&key.to_string());
            json.open_object();
            json.optional_bytes_field("key", slot.as_ref().map(|slot| slot.as_slice()));
            json.bytes_field("value", &value.to_be_bytes::<32>());
            json.close_object();
        }
        json.close_object();
        let next = found.keys().nth(most);
        json.optional_bytes_field("nextKey", next.map(|key| key.as_slice()));
        json.close_object();
        Ok(json.finish())
    }
}
