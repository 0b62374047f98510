//! Looking up which transactions touched an account, and what the keys of the tries stand for.

use std::ops::RangeInclusive;

use alloy_primitives::{Address, B256, U256, keccak256};
use fjall::Slice;

use crate::address_index::decode;
use crate::error::StateError;
use crate::keys::touch_key;
use crate::store::Store;
use crate::types::{Touching, TxLocation};

/// Rows that may share an account's eight bytes; more than chance ever makes.
const MOST_SHARED: usize = 1_000;

impl Store {
    /// Transactions of a range of blocks that touched an account, whole blocks until there are `least`, the last ones
    /// first if `backwards`.
    ///
    /// # Errors
    /// `io` or `corrupt` when a row cannot be read.
    pub fn touching(
        &self,
        address: &Address,
        blocks: RangeInclusive<u64>,
        backwards: bool,
        least: usize,
    ) -> Result<Touching, StateError> {
        let mut found = Touching::default();
        let head = *self.inner.head.read();
        let last = head.map(|head| head.number.min(*blocks.end()));
        let Some(last) = last.filter(|last| blocks.start() <= last) else {
            return Ok(found);
        };
        let key = keccak256(address);
        let range = touch_key(&key, *blocks.start())..=touch_key(&key, last);
        let mut rows = self.inner.touch_rows.range(range);
        while let Some(row) = if backwards {
            rows.next_back()
        } else {
            rows.next()
        } {
            let (row_key, row) = row.into_inner()?;
            let block = block_of(&row_key)?;
            let mut transactions = transactions_of(address, &row)?;
            if transactions.is_empty() {
                continue;
            }
            if found.locations.len() >= least {
                found.more = true;
                break;
            }
            if backwards {
                transactions.reverse();
            }
            let located = |index| TxLocation { block, index };
            let located = transactions.into_iter().map(located);
            found.locations.extend(located);
        }
        Ok(found)
    }

    /// The account whose key in the state trie this is.
    ///
    /// # Errors
    /// `io` or `corrupt` when a row cannot be read.
    pub fn address_of(&self, key: &B256) -> Result<Option<Address>, StateError> {
        let range = touch_key(key, 0)..=touch_key(key, u64::MAX);
        for row in self.inner.touch_rows.range(range).take(MOST_SHARED) {
            for (address, _) in decode(&row.value()?)? {
                if keccak256(address) == *key {
                    return Ok(Some(address));
                }
            }
        }
        Ok(None)
    }

    /// The slot whose key in the storage tries this is.
    ///
    /// # Errors
    /// `io` or `corrupt` when the row cannot be read.
    pub fn slot_of(&self, key: &B256) -> Result<Option<U256>, StateError> {
        let Some(row) = self.inner.slot_keys.get(key)? else {
            return Ok(None);
        };
        let slot = U256::try_from_be_slice(&row);
        slot.map(Some)
            .ok_or_else(|| StateError::corrupt("slot key row"))
    }
}

fn block_of(key: &Slice) -> Result<u64, StateError> {
    let number = key.last_chunk::<8>().copied().map(u64::from_be_bytes);
    number.ok_or_else(|| StateError::corrupt("address index key too short"))
}

fn transactions_of(address: &Address, row: &[u8]) -> Result<Vec<u32>, StateError> {
    let accounts = decode(row)?.into_iter();
    let mut own = accounts.filter(|(account, _)| account == address);
    Ok(own.next().map(|(_, own)| own).unwrap_or_default())
}
