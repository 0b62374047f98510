//! `debug_storageRangeAt`: an account's storage as a transaction of a block met it, in the order of the trie's keys.

use super::ExploreFailure;
use crate::chain::Chain;
use crate::json::JsonWriter;
use crate::trace::{NamedBlock, storage_before};
use alloy_primitives::{Address, B256, U256, keccak256};
use alloy_trie::EMPTY_ROOT_HASH;
use cairn_state::{ListedAccount, Snapshot};
use std::collections::BTreeMap;

/// Slots in the order of their keys, with the plain slot where it is known.
type Slots = BTreeMap<B256, (Option<U256>, U256)>;

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
        let touched = storage_before(self, block, tx_index, address)?;
        let state = self.state_at(touched.base)?;
        let account = state.listed(&address)?.filter(|_| !touched.cleared);
        let has_storage = |account: &ListedAccount| account.account.storage_root != EMPTY_ROOT_HASH;
        let had_storage = account.as_ref().is_some_and(has_storage);
        let slots = slots_from(start, most, &state, account, touched.slots)?;
        if slots.is_empty() && !had_storage {
            return Ok(r#"{"storage":null,"nextKey":null}"#.to_owned());
        }
        let mut json = JsonWriter::default();
        json.open_object();
        json.key("storage");
        self.write_slots(&mut json, slots.iter().take(most))?;
        let next = slots.keys().nth(most);
        json.optional_bytes_field("nextKey", next.map(|key| key.as_slice()));
        json.close_object();
        Ok(json.finish())
    }

    fn write_slots<'a>(
        &self,
        json: &mut JsonWriter,
        slots: impl Iterator<Item = (&'a B256, &'a (Option<U256>, U256))>,
    ) -> Result<(), ExploreFailure> {
        json.open_object();
        for (key, (slot, value)) in slots {
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
        Ok(())
    }
}

/// The slots from a key on: more than `most` where there are more.
fn slots_from(
    start: B256,
    most: usize,
    state: &Snapshot,
    account: Option<ListedAccount>,
    touched: Vec<(U256, U256)>,
) -> Result<Slots, ExploreFailure> {
    let mut found = Slots::new();
    if let Some(account) = account {
        // As many slots of the base may be gone as the transactions before touched.
        let enough = most.saturating_add(touched.len()).saturating_add(1);
        state.list_slots(&account, &start, |key, value| {
            found.insert(key, (None, value));
            Ok(found.len() < enough)
        })?;
    }
    for (slot, value) in touched {
        let key = keccak256(slot.to_be_bytes::<32>());
        if value.is_zero() {
            found.remove(&key);
        } else if key >= start {
            found.insert(key, (Some(slot), value));
        }
    }
    Ok(found)
}
