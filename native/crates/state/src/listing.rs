//! Listing what a state holds: accounts and slots in the order of their keys, and what changed since a block.

use alloy_primitives::{Address, B256, U256};
use alloy_trie::Nibbles;

use crate::accounts::{account_key, decode_slot, packed, read_leaf, storage_root};
use crate::error::StateError;
use crate::snapshot::Snapshot;
use crate::trie::node::Root;
use crate::trie::range::{Keys, leaves};
use crate::trie::walk::follow;
use crate::types::Account;

/// One account of a listing.
#[derive(Clone, Debug)]
pub struct ListedAccount {
    /// Keccak hash of its address.
    pub key: B256,
    /// The account.
    pub account: Account,
    storage: Root,
}

impl Snapshot {
    /// Hands accounts to `visit` in the order of their keys, from a key on, until it answers `false`.
    ///
    /// # Errors
    /// `io` or `corrupt` when a node cannot be read.
    pub fn list_accounts(
        &self,
        from: &B256,
        mut visit: impl FnMut(ListedAccount) -> Result<bool, StateError>,
    ) -> Result<(), StateError> {
        let from = Nibbles::unpack_array(&from.0);
        let keys = Keys {
            from: &from,
            since: 0,
        };
        leaves(self.source(), self.root_node(), keys, |key, leaf| {
            let found = read_leaf(leaf)?;
            visit(ListedAccount {
                key: packed(key),
                account: found.0,
                storage: storage_root(&found),
            })
        })
    }

    /// Hands an account's slots to `visit` as hash of the slot and value, in the order of the hashes, from one on, until
    /// it answers `false`.
    ///
    /// # Errors
    /// `io` or `corrupt` when a node cannot be read.
    pub fn list_slots(
        &self,
        account: &ListedAccount,
        from: &B256,
        mut visit: impl FnMut(B256, U256) -> Result<bool, StateError>,
    ) -> Result<(), StateError> {
        let from = Nibbles::unpack_array(&from.0);
        let keys = Keys {
            from: &from,
            since: 0,
        };
        leaves(self.source(), account.storage, keys, |key, leaf| {
            visit(packed(key), decode_slot(&leaf.bytes)?)
        })
    }

    /// One account as a listing has it.
    ///
    /// # Errors
    /// `io` or `corrupt` when a node cannot be read.
    pub fn listed(&self, address: &Address) -> Result<Option<ListedAccount>, StateError> {
        let key = account_key(address);
        let leaf = follow(self.source(), self.root_node(), &key, |_| ())?;
        let found = leaf.as_ref().map(read_leaf).transpose()?;
        Ok(found.map(|found| ListedAccount {
            key: packed(&key),
            account: found.0,
            storage: storage_root(&found),
        }))
    }

    /// Hands the keys of accounts that differ from an older state of the same chain to `visit`, in their order, until it
    /// answers `false`. Accounts that are gone are not among them.
    ///
    /// # Errors
    /// `io` or `corrupt` when a node cannot be read.
    pub fn list_changed(
        &self,
        before: &Self,
        mut visit: impl FnMut(B256) -> Result<bool, StateError>,
    ) -> Result<(), StateError> {
        let since = before.position().0.map_or(0, |number| number + 2);
        let keys = Keys {
            from: &Nibbles::default(),
            since,
        };
        leaves(self.source(), self.root_node(), keys, |key, leaf| {
            // A leaf also moves when a neighbour comes or goes.
            let old = follow(before.source(), before.root_node(), key, |_| ())?;
            if old.is_some_and(|old| old.bytes == leaf.bytes) {
                return Ok(true);
            }
            visit(packed(key))
        })
    }
}
