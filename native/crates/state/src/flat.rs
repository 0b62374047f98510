//! Accounts and slots of the latest state by their plain keys, so that frequent reads skip the trie. A cache only: every
//! entry says since which block it holds, so views of that block and later ones may use it and older views walk the trie.

use std::sync::Arc;

use alloy_primitives::{Address, B256, U256};
use parking_lot::RwLock;
use quick_cache::UnitWeighter;

use crate::bounded_cache::{BoundedCache, bounded_cache};
use crate::error::StateError;
use crate::trie::node::NodeId;
use crate::types::Account;

/// An account and where its storage trie's root node is stored.
pub(crate) type FlatAccount = (Account, NodeId);

/// What a block changes, by plain keys.
#[derive(Default)]
pub(crate) struct FlatChanges {
    pub(crate) accounts: Vec<(Address, Option<FlatAccount>)>,
    pub(crate) slots: Vec<((Address, U256), U256)>,
    /// Whether some account lost slots that are not listed.
    pub(crate) unlisted: bool,
    /// Accounts that were not there before.
    pub(crate) new_accounts: Vec<Address>,
    /// Slots that held nothing before, behind their keys in the storage trie.
    pub(crate) new_slots: Vec<(B256, U256)>,
}

#[derive(Clone, Copy)]
struct Since<T> {
    since: u64,
    value: T,
}

/// The cache of the latest state.
pub(crate) struct FlatState {
    /// Number of the block whose state the entries describe. Writers of entries hold it.
    head: RwLock<Option<u64>>,
    accounts: BoundedCache<Address, Since<Option<Arc<FlatAccount>>>, UnitWeighter>,
    slots: BoundedCache<(Address, U256), Since<U256>, UnitWeighter>,
}

// Entries with the cache's own bookkeeping, in bytes.
const ACCOUNT_BYTES: usize = 256;
const SLOT_BYTES: usize = 192;

impl FlatState {
    /// An empty cache of about `bytes`.
    pub(crate) fn new(bytes: usize) -> Result<Self, StateError> {
        let accounts = bounded_cache(
            bytes / 2 / ACCOUNT_BYTES,
            bytes / 2 / ACCOUNT_BYTES,
            UnitWeighter,
        )?;
        let slots = bounded_cache(bytes / 2 / SLOT_BYTES, bytes / 2 / SLOT_BYTES, UnitWeighter)?;
        Ok(Self {
            head: RwLock::new(None),
            accounts,
            slots,
        })
    }

    /// Describes the state of a block from now on, while still empty.
    pub(crate) fn start(&self, head: Option<u64>) {
        *self.head.write() = head;
    }

    /// An account as of a block, if known.
    pub(crate) fn account(&self, number: u64, address: &Address) -> Option<Option<FlatAccount>> {
        let entry = self
            .accounts
            .get(address)
            .filter(|entry| entry.since <= number)?;
        Some(entry.value.map(|account| *account))
    }

    /// A slot as of a block, if known.
    pub(crate) fn slot(&self, number: u64, key: &(Address, U256)) -> Option<U256> {
        self.slots
            .get(key)
            .filter(|entry| entry.since <= number)
            .map(|entry| entry.value)
    }

    /// Keeps an account read from the trie of a block, if that block is still the latest.
    pub(crate) fn keep_account(&self, number: u64, address: Address, account: Option<FlatAccount>) {
        let Some(head) = self.head.try_read() else {
            return;
        };
        if *head == Some(number) {
            self.accounts.insert(
                address,
                Since {
                    since: number,
                    value: account.map(Arc::new),
                },
            );
        }
    }

    /// Keeps a slot read from the trie of a block, if that block is still the latest.
    pub(crate) fn keep_slot(&self, number: u64, key: (Address, U256), value: U256) {
        let Some(head) = self.head.try_read() else {
            return;
        };
        if *head == Some(number) {
            self.slots.insert(
                key,
                Since {
                    since: number,
                    value,
                },
            );
        }
    }

    /// Moves to the next block. Must end before views of that block are made.
    pub(crate) fn advance(&self, number: u64, changes: &FlatChanges) {
        let mut head = self.head.write();
        if changes.unlisted {
            self.slots.clear();
        }
        for (address, account) in &changes.accounts {
            self.accounts.insert(
                *address,
                Since {
                    since: number,
                    value: account.map(Arc::new),
                },
            );
        }
        for (key, value) in &changes.slots {
            self.slots.insert(
                *key,
                Since {
                    since: number,
                    value: *value,
                },
            );
        }
        *head = Some(number);
    }
}
