//! The EVM's view of the state: a snapshot with the changes of the block in progress on top. Owns which accounts and
//! slots changed; knows nothing of tries or disks.

use alloy_primitives::map::{AddressMap, B256Map, HashMap};
use alloy_primitives::{Address, B256, Bytes, KECCAK256_EMPTY, U256};
use cairn_state::{
    Account as StoredAccount, AccountChange, Snapshot, StateChanges, StateError, Store,
};
use revm::bytecode::Bytecode;
use revm::database_interface::DBErrorMarker;
use revm::state::{Account, AccountInfo};
use revm::{Database, DatabaseCommit};
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::bounded::BoundedMap;
use crate::deadline::Deadline;
use crate::overrides::AccountOverride;

/// Analysed code by its hash, shared by all executions.
pub type CodeCache = BoundedMap<B256, Bytecode>;

/// The store failed while the EVM read.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct ReadError(#[from] pub StateError);

impl DBErrorMarker for ReadError {}

#[derive(Debug, Clone, Copy)]
struct Slot {
    before: U256,
    now: U256,
}

#[derive(Debug)]
struct Touched {
    before: Option<StoredAccount>,
    now: Option<AccountInfo>,
    /// Storage of the snapshot no longer shows through.
    cleared: bool,
    changed: bool,
    slots: HashMap<U256, Slot>,
}

/// A snapshot plus uncommitted changes.
pub struct Overlay {
    snapshot: Snapshot,
    store: Store,
    code: Arc<CodeCache>,
    accounts: AddressMap<Touched>,
    new_code: B256Map<Bytecode>,
    /// Hashes of blocks that are not committed, by height.
    simulated_hashes: BTreeMap<u64, B256>,
    /// When execution on this overlay is given up.
    pub(crate) deadline: Deadline,
}

impl Overlay {
    /// Starts without changes.
    pub fn new(snapshot: Snapshot, store: Store, code: Arc<CodeCache>) -> Self {
        Self {
            snapshot,
            store,
            code,
            accounts: AddressMap::default(),
            new_code: B256Map::default(),
            simulated_hashes: BTreeMap::new(),
            deadline: Deadline::NEVER,
        }
    }

    /// Makes `BLOCKHASH` know blocks that are not committed.
    pub(crate) fn with_hashes(mut self, hashes: BTreeMap<u64, B256>) -> Self {
        self.simulated_hashes = hashes;
        self
    }

    /// Changes an account as if a transaction just had.
    pub(crate) fn override_account(
        &mut self,
        address: Address,
        change: &AccountOverride,
    ) -> Result<(), ReadError> {
        let touched = self.load(address)?;
        touched.changed = true;
        let info = touched.now.get_or_insert_with(AccountInfo::default);
        info.nonce = change.nonce.unwrap_or(info.nonce);
        info.balance = change.balance.unwrap_or(info.balance);
        if let Some(bytes) = &change.code {
            let code = analysed(bytes.clone());
            info.code_hash = alloy_primitives::keccak256(bytes);
            info.code = Some(code.clone());
            let hash = info.code_hash;
            self.new_code.insert(hash, code);
        }
        if change.state.is_some()
            && let Some(touched) = self.accounts.get_mut(&address)
        {
            clear(touched);
        }
        for slots in [&change.state, &change.state_diff].into_iter().flatten() {
            for (key, value) in slots {
                self.storage(address, *key)?;
                if let Some(touched) = self.accounts.get_mut(&address)
                    && let Some(slot) = touched.slots.get_mut(key)
                {
                    slot.now = *value;
                }
            }
        }
        Ok(())
    }

    fn load(&mut self, address: Address) -> Result<&mut Touched, ReadError> {
        match self.accounts.entry(address) {
            alloy_primitives::map::Entry::Occupied(entry) => Ok(entry.into_mut()),
            alloy_primitives::map::Entry::Vacant(entry) => {
                let before = self.snapshot.account(&address)?;
                let now = before.as_ref().map(to_info);
                let slots = HashMap::default();
                Ok(entry.insert(Touched {
                    before,
                    now,
                    cleared: false,
                    changed: false,
                    slots,
                }))
            }
        }
    }

    /// The net change of everything committed to this overlay.
    pub fn into_changes(self) -> StateChanges {
        let mut accounts = BTreeMap::new();
        let mut code: BTreeMap<B256, Bytes> = BTreeMap::new();
        for (address, touched) in self.accounts {
            let Some(change) = net_change(touched) else {
                continue;
            };
            if let Some(info) = &change.account
                && let Some(bytecode) = self.new_code.get(&info.code_hash)
            {
                code.insert(info.code_hash, bytecode.original_bytes());
            }
            accounts.insert(address, change);
        }
        StateChanges { accounts, code }
    }

    fn apply(&mut self, address: Address, account: Account) {
        if !account.is_touched() {
            return;
        }
        let touched = self.accounts.entry(address).or_insert_with(|| Touched {
            before: None,
            now: None,
            cleared: false,
            changed: false,
            slots: HashMap::default(),
        });
        touched.changed = true;
        if account.is_selfdestructed() {
            touched.now = None;
            clear(touched);
            return;
        }
        if account.is_created() {
            clear(touched);
            if let Some(code) = &account.info.code {
                self.new_code
                    .entry(account.info.code_hash)
                    .or_insert_with(|| code.clone());
            }
        } else if account.info.code_hash
            != touched
                .now
                .as_ref()
                .map_or(KECCAK256_EMPTY, |info| info.code_hash)
            && let Some(code) = &account.info.code
        {
            self.new_code
                .entry(account.info.code_hash)
                .or_insert_with(|| code.clone());
        }
        for (key, slot) in account.storage {
            if !slot.is_changed() {
                continue;
            }
            let entry = touched.slots.entry(key).or_insert(Slot {
                before: U256::ZERO,
                now: U256::ZERO,
            });
            entry.now = slot.present_value;
        }
        touched.now = if account.info.is_empty() {
            None
        } else {
            Some(account.info)
        };
    }
}

fn analysed(bytes: Bytes) -> Bytecode {
    Bytecode::new_raw_checked(bytes.clone()).unwrap_or_else(|_| Bytecode::new_legacy(bytes))
}

fn clear(touched: &mut Touched) {
    touched.cleared = true;
    for slot in touched.slots.values_mut() {
        slot.now = U256::ZERO;
    }
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

fn net_change(touched: Touched) -> Option<AccountChange> {
    if !touched.changed {
        return None;
    }
    let Some(info) = touched.now else {
        touched.before.as_ref()?;
        return Some(AccountChange {
            account: None,
            wipe_storage: true,
            storage: BTreeMap::new(),
        });
    };
    let had_storage = touched
        .before
        .as_ref()
        .is_some_and(|before| before.storage_root != alloy_trie::EMPTY_ROOT_HASH);
    let wipe_storage = touched.cleared && had_storage;
    let storage: BTreeMap<U256, U256> = touched
        .slots
        .into_iter()
        .filter(|(_, slot)| {
            if wipe_storage {
                !slot.now.is_zero()
            } else {
                slot.before != slot.now
            }
        })
        .map(|(key, slot)| (key, slot.now))
        .collect();
    let same = touched.before.as_ref().is_some_and(|before| {
        before.nonce == info.nonce
            && before.balance == info.balance
            && before.code_hash == info.code_hash
    });
    if same && storage.is_empty() && !wipe_storage {
        return None;
    }
    let account = cairn_state::AccountInfo {
        nonce: info.nonce,
        balance: info.balance,
        code_hash: info.code_hash,
    };
    Some(AccountChange {
        account: Some(account),
        wipe_storage,
        storage,
    })
}

impl Database for Overlay {
    type Error = ReadError;

    fn basic(&mut self, address: Address) -> Result<Option<AccountInfo>, ReadError> {
        Ok(self.load(address)?.now.clone())
    }

    fn code_by_hash(&mut self, code_hash: B256) -> Result<Bytecode, ReadError> {
        if let Some(code) = self.new_code.get(&code_hash) {
            return Ok(code.clone());
        }
        if let Some(code) = self.code.get(&code_hash) {
            return Ok(code);
        }
        let Some(bytes) = self.snapshot.code(&code_hash)? else {
            return Err(StateError::Corrupt(format!("no code for hash {code_hash}")).into());
        };
        let code = analysed(bytes);
        self.code.insert(code_hash, code.clone());
        Ok(code)
    }

    fn storage(&mut self, address: Address, key: U256) -> Result<U256, ReadError> {
        let touched = self.load(address)?;
        if let Some(slot) = touched.slots.get(&key) {
            return Ok(slot.now);
        }
        let absent = touched.cleared || touched.before.is_none();
        let value = if absent {
            U256::ZERO
        } else {
            self.snapshot.storage(&address, &key)?
        };
        if let Some(touched) = self.accounts.get_mut(&address) {
            touched.slots.insert(
                key,
                Slot {
                    before: value,
                    now: value,
                },
            );
        }
        Ok(value)
    }

    fn block_hash(&mut self, number: u64) -> Result<B256, ReadError> {
        if let Some(hash) = self.simulated_hashes.get(&number) {
            return Ok(*hash);
        }
        Ok(self
            .store
            .header(number)?
            .map(|stored| stored.hash)
            .unwrap_or_default())
    }
}

impl DatabaseCommit for Overlay {
    fn commit(&mut self, changes: AddressMap<Account>) {
        for (address, account) in changes {
            self.apply(address, account);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_state::{AccountInfo as StoredInfo, StoreOptions};
    use revm::state::{AccountStatus, EvmStorageSlot, TransactionId};

    const RICH: Address = Address::with_last_byte(1);
    const NEW: Address = Address::with_last_byte(2);

    /// A store whose staged state holds one account with storage.
    fn overlay(dir: &tempfile::TempDir) -> Result<Overlay, StateError> {
        let store = Store::open(
            dir.path(),
            StoreOptions {
                cache_bytes: 1 << 20,
            },
        )?;
        let info = StoredInfo {
            nonce: 1,
            balance: U256::from(100),
            code_hash: KECCAK256_EMPTY,
        };
        let storage = BTreeMap::from([
            (U256::from(1), U256::from(11)),
            (U256::from(2), U256::from(22)),
        ]);
        let change = AccountChange {
            account: Some(info),
            wipe_storage: false,
            storage,
        };
        let changes = StateChanges {
            accounts: BTreeMap::from([(RICH, change)]),
            code: BTreeMap::new(),
        };
        let snapshot = store.stage(&store.empty(), &changes)?.snapshot();
        Ok(Overlay::new(snapshot, store, Arc::new(BoundedMap::new(4))))
    }

    fn touched(info: AccountInfo, status: AccountStatus) -> Account {
        let mut account = Account::default().with_info(info);
        account.status = status | AccountStatus::Touched;
        account
    }

    fn commit(overlay: &mut Overlay, address: Address, account: Account) {
        overlay.commit([(address, account)].into_iter().collect());
    }

    #[test]
    fn only_net_changes_remain() -> Result<(), Box<dyn std::error::Error>> {
        let dir = tempfile::tempdir()?;
        let mut overlay = overlay(&dir)?;
        let info = overlay.basic(RICH)?.unwrap_or_default();
        assert_eq!(overlay.storage(RICH, U256::from(1))?, U256::from(11));
        let mut account = touched(info.clone(), AccountStatus::empty());
        let slot = EvmStorageSlot::new_changed(U256::from(11), U256::from(12), TransactionId::ZERO);
        account.storage.insert(U256::from(1), slot);
        commit(&mut overlay, RICH, account);
        assert_eq!(overlay.storage(RICH, U256::from(1))?, U256::from(12));
        let mut back = touched(info, AccountStatus::empty());
        let slot = EvmStorageSlot::new_changed(U256::from(12), U256::from(11), TransactionId::ZERO);
        back.storage.insert(U256::from(1), slot);
        commit(&mut overlay, RICH, back);
        commit(
            &mut overlay,
            NEW,
            touched(AccountInfo::default(), AccountStatus::empty()),
        );
        assert_eq!(overlay.into_changes(), StateChanges::default());
        Ok(())
    }

    #[test]
    fn destroying_hides_storage_and_creating_anew_starts_empty()
    -> Result<(), Box<dyn std::error::Error>> {
        let dir = tempfile::tempdir()?;
        let mut overlay = overlay(&dir)?;
        let info = overlay.basic(RICH)?.unwrap_or_default();
        overlay.storage(RICH, U256::from(1))?;
        commit(
            &mut overlay,
            RICH,
            touched(info.clone(), AccountStatus::SelfDestructed),
        );
        assert_eq!(overlay.basic(RICH)?, None);
        assert_eq!(overlay.storage(RICH, U256::from(1))?, U256::ZERO);
        assert_eq!(overlay.storage(RICH, U256::from(2))?, U256::ZERO);
        let mut made = touched(info.clone(), AccountStatus::Created);
        let slot = EvmStorageSlot::new_changed(U256::ZERO, U256::from(11), TransactionId::ZERO);
        made.storage.insert(U256::from(1), slot);
        commit(&mut overlay, RICH, made);
        let changes = overlay.into_changes();
        let change = changes.accounts.get(&RICH).ok_or("no change")?;
        assert!(change.wipe_storage);
        assert_eq!(
            change.storage,
            BTreeMap::from([(U256::from(1), U256::from(11))])
        );
        Ok(())
    }

    #[test]
    fn an_emptied_account_is_deleted() -> Result<(), Box<dyn std::error::Error>> {
        let dir = tempfile::tempdir()?;
        let mut overlay = overlay(&dir)?;
        overlay.basic(RICH)?;
        commit(
            &mut overlay,
            RICH,
            touched(AccountInfo::default(), AccountStatus::empty()),
        );
        let changes = overlay.into_changes();
        let change = changes.accounts.get(&RICH).ok_or("no change")?;
        assert_eq!(change.account, None);
        Ok(())
    }
}
