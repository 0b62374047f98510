//! geth's prestate tracer: the accounts and slots a transaction met, or what it made of them. Written from what the
//! EVM loaded, so nothing is recorded while it runs.

use super::stage::Pile;
use crate::json::JsonWriter;
use crate::overlay::ReadError;
use alloy_primitives::{Address, B256, Bytes, KECCAK256_EMPTY, U256};
use revm::DatabaseRef;
use revm::state::{Account, AccountInfo, EvmState};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Options of the tracer.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PrestateConfig {
    diff_mode: bool,
    disable_code: bool,
    disable_storage: bool,
    include_empty: bool,
}

/// The members of one account that are shown.
#[derive(Default)]
struct Shown {
    balance: Option<U256>,
    nonce: Option<u64>,
    code: Option<Bytes>,
    code_hash: Option<B256>,
    storage: BTreeMap<U256, U256>,
}

impl Shown {
    fn write(&self, json: &mut JsonWriter, address: &Address) {
        json.key(&format!("{address:#x}"));
        json.open_object();
        if let Some(balance) = &self.balance {
            json.key("balance");
            json.quantity256(balance);
        }
        if let Some(nonce) = self.nonce {
            json.key("nonce");
            json.raw(&nonce.to_string());
        }
        if let Some(code) = &self.code {
            json.bytes_field("code", code);
        }
        if let Some(hash) = &self.code_hash {
            json.bytes_field("codeHash", hash.as_slice());
        }
        if !self.storage.is_empty() {
            json.key("storage");
            json.open_object();
            for (key, value) in &self.storage {
                json.key(&format!("{:#x}", B256::from(*key)));
                json.bytes(&value.to_be_bytes::<32>());
            }
            json.close_object();
        }
        json.close_object();
    }
}

impl PrestateConfig {
    /// Reads the tracer's options.
    pub(super) fn parse(value: &serde_json::Value) -> Result<Self, String> {
        if value.is_null() {
            return Ok(Self::default());
        }
        let config: Self =
            serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
        if config.diff_mode && config.include_empty {
            return Err("cannot use diffMode with includeEmpty".to_owned());
        }
        Ok(config)
    }

    /// The result for a transaction that left `after` of the accounts in `before`.
    pub(super) fn write<D: DatabaseRef<Error = ReadError>>(
        self,
        after: &EvmState,
        before: &Pile<D>,
    ) -> Result<String, ReadError> {
        let (mut pre, mut post) = (BTreeMap::new(), BTreeMap::new());
        for (address, account) in after {
            let info = before.basic_ref(*address)?.unwrap_or_default();
            let empty = info.is_empty();
            let mut shown = self.before(&info, account, before)?;
            if self.diff_mode && !account.is_selfdestructed() {
                let Some(changed) = self.diff(&info, account, before)? else {
                    continue;
                };
                shown
                    .storage
                    .retain(|key, value| !value.is_zero() && is_changed(account, key));
                post.insert(*address, changed);
            }
            if !empty || self.include_empty {
                pre.insert(*address, shown);
            }
        }
        let mut json = JsonWriter::default();
        if !self.diff_mode {
            write_all(&mut json, &pre);
            return Ok(json.finish());
        }
        json.open_object();
        json.key("post");
        write_all(&mut json, &post);
        json.key("pre");
        write_all(&mut json, &pre);
        json.close_object();
        Ok(json.finish())
    }

    fn code<D: DatabaseRef<Error = ReadError>>(
        self,
        info: &AccountInfo,
        state: &Pile<D>,
    ) -> Result<Option<Bytes>, ReadError> {
        if self.disable_code || info.code_hash == KECCAK256_EMPTY || info.code_hash.is_zero() {
            return Ok(None);
        }
        let code = match &info.code {
            Some(code) => code.original_bytes(),
            None => state.code_by_hash_ref(info.code_hash)?.original_bytes(),
        };
        Ok(Some(code))
    }

    fn before<D: DatabaseRef<Error = ReadError>>(
        self,
        info: &AccountInfo,
        account: &Account,
        state: &Pile<D>,
    ) -> Result<Shown, ReadError> {
        let has_code = info.code_hash != KECCAK256_EMPTY && !info.code_hash.is_zero();
        let mut storage = BTreeMap::new();
        if !self.disable_storage {
            for (key, slot) in &account.storage {
                storage.insert(*key, slot.original_value());
            }
        }
        Ok(Shown {
            balance: Some(info.balance),
            nonce: (info.nonce != 0).then_some(info.nonce),
            code: self.code(info, state)?,
            code_hash: has_code.then_some(info.code_hash),
            storage,
        })
    }

    fn diff<D: DatabaseRef<Error = ReadError>>(
        self,
        before: &AccountInfo,
        account: &Account,
        state: &Pile<D>,
    ) -> Result<Option<Shown>, ReadError> {
        let now = &account.info;
        let mut shown = Shown {
            balance: (now.balance != before.balance).then_some(now.balance),
            nonce: (now.nonce != before.nonce).then_some(now.nonce),
            ..Shown::default()
        };
        let hash = |info: &AccountInfo| {
            if info.code_hash.is_zero() {
                KECCAK256_EMPTY
            } else {
                info.code_hash
            }
        };
        if hash(now) != hash(before) {
            shown.code_hash = Some(hash(now));
            if !self.disable_code {
                shown.code = Some(self.code(now, state)?.unwrap_or_default());
            }
        }
        let mut modified =
            shown.balance.is_some() || shown.nonce.is_some() || shown.code_hash.is_some();
        if !self.disable_storage {
            for (key, slot) in account.storage.iter().filter(|(_, slot)| slot.is_changed()) {
                modified = true;
                if !slot.present_value().is_zero() {
                    shown.storage.insert(*key, slot.present_value());
                }
            }
        }
        Ok(modified.then_some(shown))
    }
}

fn is_changed(account: &Account, key: &U256) -> bool {
    account
        .storage
        .get(key)
        .is_some_and(|slot| slot.is_changed())
}

fn write_all(json: &mut JsonWriter, accounts: &BTreeMap<Address, Shown>) {
    json.open_object();
    for (address, shown) in accounts {
        shown.write(json, address);
    }
    json.close_object();
}
