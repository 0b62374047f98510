//! geth's dump of a state: accounts with their addresses, code and storage.

use super::{ExploreFailure, MOST_ENTRIES};
use crate::chain::Chain;
use crate::json::{JsonWriter, push_hex};
use crate::read::BlockRef;
use alloy_primitives::{Address, B256, KECCAK256_EMPTY, U256};
use cairn_state::{ListedAccount, Snapshot, StateError};

struct Dumped {
    address: Address,
    account: ListedAccount,
    slots: Vec<(B256, U256)>,
}

impl Chain {
    /// At most `most` accounts from a key on, with code and storage as asked, and the key to go on from.
    pub(super) fn dump(
        &self,
        block: BlockRef,
        start: &B256,
        most: usize,
        (code, storage): (bool, bool),
    ) -> Result<String, ExploreFailure> {
        let state = self.explored(block)?;
        let mut accounts = Vec::new();
        let mut next = None;
        state.list_accounts(start, |account| {
            if accounts.len() >= most {
                next = Some(account.key);
                return Ok(false);
            }
            accounts.push(account);
            Ok(true)
        })?;
        let dumped = self.dumped(&state, accounts, storage)?;
        let mut json = JsonWriter::default();
        json.open_object();
        json.key("root");
        json.text(&bare_hex(state.root().as_slice()));
        json.key("accounts");
        json.open_object();
        for item in &dumped {
            write_account(&mut json, &state, item, code)?;
        }
        json.close_object();
        if let Some(next) = next {
            json.bytes_field("next", next.as_slice());
        }
        json.close_object();
        Ok(json.finish())
    }

    fn dumped(
        &self,
        state: &Snapshot,
        accounts: Vec<ListedAccount>,
        with_storage: bool,
    ) -> Result<Vec<Dumped>, ExploreFailure> {
        let mut room = MOST_ENTRIES;
        let mut dumped = Vec::with_capacity(accounts.len());
        for account in accounts {
            let address = self.store.address_of(&account.key)?;
            let slots = if with_storage {
                self.slots(state, &account, &mut room)?
            } else {
                Vec::new()
            };
            dumped.push(Dumped {
                address: address.ok_or(ExploreFailure::Unknown)?,
                account,
                slots,
            });
        }
        Ok(dumped)
    }

    fn slots(
        &self,
        state: &Snapshot,
        account: &ListedAccount,
        room: &mut usize,
    ) -> Result<Vec<(B256, U256)>, ExploreFailure> {
        let mut hashed = Vec::new();
        state.list_slots(account, &B256::ZERO, |key, value| {
            hashed.push((key, value));
            Ok(hashed.len() <= *room)
        })?;
        *room = room
            .checked_sub(hashed.len())
            .ok_or(ExploreFailure::TooLarge)?;
        let plain = |(key, value): (B256, U256)| {
            let slot = self.store.slot_of(&key)?;
            let slot =
                slot.ok_or_else(|| StateError::Corrupt("a slot without its key".to_owned()))?;
            Ok((slot.into(), value))
        };
        hashed.into_iter().map(plain).collect()
    }
}

fn write_account(
    json: &mut JsonWriter,
    state: &Snapshot,
    item: &Dumped,
    with_code: bool,
) -> Result<(), ExploreFailure> {
    let account = &item.account.account;
    json.key(&item.address.to_checksum(None));
    json.open_object();
    json.key("balance");
    json.text(&account.balance.to_string());
    json.key("nonce");
    json.raw(&account.nonce.to_string());
    json.bytes_field("root", account.storage_root.as_slice());
    json.bytes_field("codeHash", account.code_hash.as_slice());
    if with_code && account.code_hash != KECCAK256_EMPTY {
        let code = state.code(&account.code_hash)?.unwrap_or_default();
        json.bytes_field("code", &code);
    }
    if !item.slots.is_empty() {
        json.key("storage");
        json.open_object();
        for (slot, value) in &item.slots {
            json.key(&slot.to_string());
            json.text(&bare_hex(&value.to_be_bytes_trimmed_vec()));
        }
        json.close_object();
    }
    json.bytes_field("address", item.address.as_slice());
    json.bytes_field("key", item.account.key.as_slice());
    json.close_object();
    Ok(())
}

fn bare_hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    push_hex(&mut text, bytes);
    text
}
