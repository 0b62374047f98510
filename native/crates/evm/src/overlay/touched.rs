//! One account of an overlay: what the snapshot has of it, and what became of it.

use alloy_primitives::map::HashMap;
use alloy_primitives::{B256, KECCAK256_EMPTY, U256};
use cairn_state::{Account as StoredAccount, AccountChange, AccountInfo as StoredInfo};
use revm::bytecode::Bytecode;
use revm::state::AccountInfo;
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    before: U256,
    now: U256,
}

/// An account that was read or changed.
#[derive(Debug, Default)]
pub(super) struct Touched {
    before: Option<StoredAccount>,
    /// As executions see it; `None`: absent.
    pub(super) now: Option<AccountInfo>,
    /// Whether anything was committed to it.
    pub(super) changed: bool,
    /// Storage of the snapshot no longer shows through.
    cleared: bool,
    slots: HashMap<U256, Slot>,
}

impl Touched {
    /// As the snapshot has it.
    pub(super) fn read(before: Option<StoredAccount>) -> Self {
        Self {
            before,
            now: before.as_ref().map(to_info),
            ..Self::default()
        }
    }

    /// Hash of its code.
    pub(super) fn code_hash(&self) -> B256 {
        self.now
            .as_ref()
            .map_or(KECCAK256_EMPTY, |info| info.code_hash)
    }

    /// Whether slots that were not read yet have the snapshot's values.
    pub(super) fn shows_snapshot(&self) -> bool {
        !self.cleared && self.before.is_some()
    }

    /// A slot that was read or written before.
    pub(super) fn slot(&self, key: &U256) -> Option<U256> {
        self.slots.get(key).map(|slot| slot.now)
    }

    /// Keeps what was read of a slot.
    pub(super) fn keep(&mut self, key: U256, value: U256) {
        let (before, now) = (value, value);
        self.slots.insert(key, Slot { before, now });
    }

    /// Writes a slot.
    pub(super) fn write(&mut self, key: U256, value: U256) {
        self.slots.entry(key).or_default().now = value;
    }

    /// Empties the storage.
    pub(super) fn clear(&mut self) {
        self.cleared = true;
        for slot in self.slots.values_mut() {
            slot.now = U256::ZERO;
        }
    }

    /// What it comes to, if anything.
    pub(super) fn net_change(self) -> Option<AccountChange> {
        if !self.changed {
            return None;
        }
        let Some(info) = self.now else {
            self.before.as_ref()?;
            return Some(AccountChange {
                account: None,
                wipe_storage: true,
                storage: BTreeMap::new(),
            });
        };
        let had_storage = self
            .before
            .as_ref()
            .is_some_and(|before| before.storage_root != alloy_trie::EMPTY_ROOT_HASH);
        let wipe_storage = self.cleared && had_storage;
        let storage = net_slots(self.slots, wipe_storage);
        let same = self
            .before
            .as_ref()
            .is_some_and(|before| is_same(before, &info));
        if same && storage.is_empty() && !wipe_storage {
            return None;
        }
        Some(AccountChange {
            account: Some(StoredInfo {
                nonce: info.nonce,
                balance: info.balance,
                code_hash: info.code_hash,
            }),
            wipe_storage,
            storage,
        })
    }
}

/// The slots to write over the snapshot's storage, or over none.
fn net_slots(slots: HashMap<U256, Slot>, is_wiped: bool) -> BTreeMap<U256, U256> {
    let differs = |slot: &Slot| {
        if is_wiped {
            !slot.now.is_zero()
        } else {
            slot.before != slot.now
        }
    };
    slots
        .into_iter()
        .filter(|(_, slot)| differs(slot))
        .map(|(key, slot)| (key, slot.now))
        .collect()
}

fn is_same(before: &StoredAccount, now: &AccountInfo) -> bool {
    before.nonce == now.nonce && before.balance == now.balance && before.code_hash == now.code_hash
}

fn to_info(account: &StoredAccount) -> AccountInfo {
    let code = (account.code_hash == KECCAK256_EMPTY).then(Bytecode::default);
    AccountInfo {
        balance: account.balance,
        nonce: account.nonce,
        code_hash: account.code_hash,
        account_id: None,
        code,
    }
}
