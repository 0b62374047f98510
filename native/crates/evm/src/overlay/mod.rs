//! The EVM's view of the state: a snapshot with the changes of the block in progress on top. Owns which accounts and
//! slots changed; knows nothing of tries or disks.

#[cfg(test)]
mod tests;
mod touched;

use crate::bounded::BoundedMap;
use crate::deadline::Deadline;
use crate::overrides::AccountOverride;
use alloy_primitives::map::{AddressMap, B256Map, Entry};
use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use cairn_state::{Snapshot, StateChanges, StateError, Store};
use revm::bytecode::Bytecode;
use revm::database_interface::DBErrorMarker;
use revm::state::{Account, AccountInfo};
use revm::{Database, DatabaseCommit};
use std::collections::BTreeMap;
use std::sync::Arc;
use touched::Touched;

/// Analysed code by its hash, shared by all executions.
pub(crate) type CodeCache = BoundedMap<B256, Bytecode>;

/// The store failed while the EVM read.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct ReadError(#[from] pub StateError);

impl DBErrorMarker for ReadError {}

/// A snapshot plus uncommitted changes.
pub(crate) struct Overlay {
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
    pub(crate) fn new(snapshot: Snapshot, store: Store, code: Arc<CodeCache>) -> Self {
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
            info.code_hash = keccak256(bytes);
            info.code = Some(code.clone());
            let hash = info.code_hash;
            self.new_code.insert(hash, code);
        }
        if change.state.is_some()
            && let Some(touched) = self.accounts.get_mut(&address)
        {
            touched.clear();
        }
        for slots in [&change.state, &change.state_diff].into_iter().flatten() {
            for (key, value) in slots {
                self.storage(address, *key)?;
                if let Some(touched) = self.accounts.get_mut(&address) {
                    touched.write(*key, *value);
                }
            }
        }
        Ok(())
    }

    fn load(&mut self, address: Address) -> Result<&mut Touched, ReadError> {
        Ok(match self.accounts.entry(address) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(Touched::read(self.snapshot.account(&address)?)),
        })
    }

    /// The net change of everything committed to this overlay.
    pub(crate) fn into_changes(self) -> StateChanges {
        let mut accounts = BTreeMap::new();
        let mut code: BTreeMap<B256, Bytes> = BTreeMap::new();
        for (address, touched) in self.accounts {
            let Some(change) = touched.net_change() else {
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
        let touched = self.accounts.entry(address).or_default();
        touched.changed = true;
        if account.is_selfdestructed() {
            touched.now = None;
            touched.clear();
            return;
        }
        let has_new_code = account.is_created() || account.info.code_hash != touched.code_hash();
        if account.is_created() {
            touched.clear();
        }
        if has_new_code && let Some(code) = &account.info.code {
            self.new_code
                .entry(account.info.code_hash)
                .or_insert_with(|| code.clone());
        }
        for (key, slot) in account.storage {
            if slot.is_changed() {
                touched.write(key, slot.present_value);
            }
        }
        touched.now = (!account.info.is_empty()).then_some(account.info);
    }
}

/// Code ready to run; what looks like a delegation and is none runs as it stands.
pub(crate) fn analysed(bytes: Bytes) -> Bytecode {
    Bytecode::new_raw_checked(bytes.clone()).unwrap_or_else(|_| Bytecode::new_legacy(bytes))
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
        if let Some(value) = touched.slot(&key) {
            return Ok(value);
        }
        let value = if touched.shows_snapshot() {
            self.snapshot.storage(&address, &key)?
        } else {
            U256::ZERO
        };
        if let Some(touched) = self.accounts.get_mut(&address) {
            touched.keep(key, value);
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
