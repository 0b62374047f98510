//! Accounts and slots as values of the secure state trie: keys are keccak hashes, an account's value is the RLP of nonce,
//! balance, storage root and code hash (Yellow Paper, section 4.1), a slot's value the RLP of its number. Turns a block's
//! changes into trie changes and runs them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use alloy_primitives::{Address, B256, U256, keccak256};
use alloy_rlp::Decodable;
use alloy_trie::{Nibbles, TrieAccount};

use crate::error::StateError;
use crate::flat::{FlatAccount, FlatChanges};
use crate::halves::map_in_halves;
use crate::trie::lanes::{Lanes, WORTH_A_THREAD};
use crate::trie::node::{LeafValue, NodeId, Root};
use crate::trie::shape::Builder;
use crate::trie::source::{Layer, Source};
use crate::trie::update::{Change, LeafChange};
use crate::trie::walk::follow;
use crate::types::{Account, AccountChange, StateChanges};

/// Key of an account in the state trie.
pub(crate) fn account_key(address: &Address) -> Nibbles {
    Nibbles::unpack_array(&keccak256(address).0)
}

/// Key of a slot in a storage trie.
pub(crate) fn slot_key(slot: &U256) -> Nibbles {
    Nibbles::unpack_array(&keccak256(slot.to_be_bytes::<32>()).0)
}

/// The 32 bytes of a whole key.
pub(crate) fn packed(key: &Nibbles) -> B256 {
    let mut bytes = B256::ZERO;
    for (byte, packed) in bytes.0.iter_mut().zip(key.pack()) {
        *byte = packed;
    }
    bytes
}

fn encode_account(account: &Account) -> Box<[u8]> {
    let Account {
        nonce,
        balance,
        code_hash,
        storage_root,
    } = *account;
    alloy_rlp::encode(TrieAccount {
        nonce,
        balance,
        storage_root,
        code_hash,
    })
    .into()
}

/// Decodes an account's value.
pub(crate) fn decode_account(bytes: &[u8]) -> Result<Account, StateError> {
    let mut rest = bytes;
    match TrieAccount::decode(&mut rest) {
        Ok(TrieAccount {
            nonce,
            balance,
            storage_root,
            code_hash,
        }) if rest.is_empty() => Ok(Account {
            nonce,
            balance,
            code_hash,
            storage_root,
        }),
        _ => Err(StateError::corrupt("account does not decode")),
    }
}

/// Decodes a slot's value.
pub(crate) fn decode_slot(bytes: &[u8]) -> Result<U256, StateError> {
    let mut rest = bytes;
    match U256::decode(&mut rest) {
        Ok(value) if rest.is_empty() => Ok(value),
        _ => Err(StateError::corrupt("slot does not decode")),
    }
}

/// An account's leaf: the account and where its storage trie's root node is stored.
pub(crate) fn read_leaf(leaf: &LeafValue) -> Result<FlatAccount, StateError> {
    let account = decode_account(&leaf.bytes)?;
    if (account.storage_root == Root::EMPTY.hash) != (leaf.link == NodeId::NONE) {
        return Err(StateError::corrupt("storage root and its node disagree"));
    }
    Ok((account, leaf.link))
}

/// The storage trie of an account.
pub(crate) fn storage_root((account, id): &FlatAccount) -> Root {
    Root {
        hash: account.storage_root,
        id: *id,
    }
}

struct SlotChange {
    slot: U256,
    value: U256,
    /// Whether the slot held nothing before and does now.
    is_new: AtomicBool,
}

impl LeafChange for SlotChange {
    fn apply(
        &self,
        old: Option<&LeafValue>,
        _: &mut Builder<'_>,
    ) -> Result<Option<LeafValue>, StateError> {
        let value = (!self.value.is_zero()).then(|| alloy_rlp::encode(self.value).into());
        let is_new = old.is_none() && value.is_some();
        self.is_new.store(is_new, Ordering::Relaxed);
        Ok(value.map(|bytes| LeafValue {
            bytes,
            link: NodeId::NONE,
        }))
    }
}

struct AccountLeafChange<'a> {
    address: Address,
    account: &'a AccountChange,
    storage: Vec<Change<SlotChange>>,
    /// The storage root, when it was computed beforehand.
    settled: Option<Root>,
    outcome: OnceLock<Outcome>,
}

/// What a change came to.
struct Outcome {
    account: Option<FlatAccount>,
    /// Whether storage was forgotten whole.
    forgot_storage: bool,
    /// Whether it was not there before.
    is_new: bool,
}

impl AccountLeafChange<'_> {
    fn storage_before(&self, old: Option<&LeafValue>) -> Result<Root, StateError> {
        match old {
            Some(leaf) if !self.account.wipe_storage => Ok(storage_root(&read_leaf(leaf)?)),
            _ => Ok(Root::EMPTY),
        }
    }
}

impl LeafChange for AccountLeafChange<'_> {
    fn apply(
        &self,
        old: Option<&LeafValue>,
        builder: &mut Builder<'_>,
    ) -> Result<Option<LeafValue>, StateError> {
        let had_storage = old.is_some_and(|leaf| leaf.link != NodeId::NONE);
        let forgot_storage =
            had_storage && (self.account.wipe_storage || self.account.account.is_none());
        let Some(info) = self.account.account else {
            let _ = self.outcome.set(Outcome {
                account: None,
                forgot_storage,
                is_new: false,
            });
            return Ok(None);
        };
        let storage = match self.settled {
            Some(root) => root,
            None => builder.update(self.storage_before(old)?, &self.storage)?,
        };
        let account = Account {
            nonce: info.nonce,
            balance: info.balance,
            code_hash: info.code_hash,
            storage_root: storage.hash,
        };
        let _ = self.outcome.set(Outcome {
            account: Some((account, storage.id)),
            forgot_storage,
            is_new: old.is_none(),
        });
        Ok(Some(LeafValue {
            bytes: encode_account(&account),
            link: storage.id,
        }))
    }
}

/// Applies a block's changes to the state trie `root` of `source`: the new root and the nodes that make it.
pub(crate) fn apply(
    source: &Source,
    root: Root,
    epoch: u64,
    changes: &StateChanges,
) -> Result<Applied, StateError> {
    let mut accounts = trie_changes(changes);
    let mut lanes = Lanes::new(source, epoch);
    for Change { key, change } in &mut accounts {
        if change.storage.len() < WORTH_A_THREAD || change.account.account.is_none() {
            continue;
        }
        let old = follow(source, root, key, |_| ())?;
        let before = change.storage_before(old.as_ref())?;
        change.settled = Some(lanes.update(before, &change.storage)?);
    }
    let root = lanes.update(root, &accounts)?;
    let layer = Layer::new(epoch, lanes.into_nodes(), changes.code.clone());
    Ok(Applied {
        root,
        layer: Arc::new(layer),
        flat: flat_changes(changes, &accounts),
    })
}

/// A block's changes after their application.
pub(crate) struct Applied {
    pub(crate) root: Root,
    pub(crate) layer: Arc<Layer>,
    pub(crate) flat: FlatChanges,
}

fn flat_changes(changes: &StateChanges, applied: &[Change<AccountLeafChange<'_>>]) -> FlatChanges {
    let mut flat = FlatChanges::default();
    for Change { change, .. } in applied {
        let Some(outcome) = change.outcome.get() else {
            continue;
        };
        flat.accounts.push((change.address, outcome.account));
        flat.unlisted |= outcome.forgot_storage;
        if outcome.is_new {
            flat.new_accounts.push(change.address);
        }
        for Change { key, change } in &change.storage {
            if change.is_new.load(Ordering::Relaxed) {
                flat.new_slots.push((packed(key), change.slot));
            }
        }
    }
    for (address, change) in changes
        .accounts
        .iter()
        .filter(|(_, change)| change.account.is_some())
    {
        flat.slots.extend(
            change
                .storage
                .iter()
                .map(|(slot, value)| ((*address, *slot), *value)),
        );
    }
    flat
}

fn trie_changes(changes: &StateChanges) -> Vec<Change<AccountLeafChange<'_>>> {
    let addresses: Vec<&Address> = changes.accounts.keys().collect();
    let slots: Vec<(&U256, &U256)> = changes
        .accounts
        .values()
        .flat_map(|change| &change.storage)
        .collect();
    let keys = map_in_halves(&addresses, |address| account_key(address));
    let mut slots = map_in_halves(&slots, |(slot, value)| Change {
        key: slot_key(slot),
        change: SlotChange {
            slot: **slot,
            value: **value,
            is_new: AtomicBool::new(false),
        },
    })
    .into_iter();
    let mut accounts: Vec<_> = keys
        .into_iter()
        .zip(&changes.accounts)
        .map(|(key, (address, account))| {
            let mut storage: Vec<_> = slots.by_ref().take(account.storage.len()).collect();
            storage.sort_unstable_by_key(|change| change.key);
            Change {
                key,
                change: AccountLeafChange {
                    address: *address,
                    account,
                    storage,
                    settled: None,
                    outcome: OnceLock::new(),
                },
            }
        })
        .collect();
    accounts.sort_unstable_by_key(|change| change.key);
    accounts
}
