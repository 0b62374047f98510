//! What calls see differently: accounts and header fields.

use crate::failure::Failure;
use crate::requests::{Spelt, number};
use alloy_primitives::{Address, B256, Bytes, U256};
use cairn_evm::{AccountOverride, BlockOverrides, StateOverrides};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Overridden accounts by address.
pub(super) type StateText = BTreeMap<Spelt<Address>, AccountText>;

/// One overridden account.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AccountText {
    nonce: Option<String>,
    code: Option<Spelt<Bytes>>,
    balance: Option<String>,
    state: Option<BTreeMap<Spelt<B256>, Spelt<B256>>>,
    state_diff: Option<BTreeMap<Spelt<B256>, Spelt<B256>>>,
    move_precompile_to: Option<Spelt<Address>>,
}

/// Overridden header fields.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct BlockText {
    number: Option<String>,
    time: Option<String>,
    gas_limit: Option<String>,
    fee_recipient: Option<Spelt<Address>>,
    prev_randao: Option<Spelt<B256>>,
    base_fee_per_gas: Option<String>,
    blob_base_fee: Option<String>,
    beacon_root: Option<Spelt<B256>>,
}

/// Overridden accounts.
pub(super) fn state_overrides(text: StateText) -> Result<StateOverrides, Failure> {
    let slots = |map: BTreeMap<Spelt<B256>, Spelt<B256>>| {
        let word = |word: Spelt<B256>| U256::from_be_bytes(word.0.0);
        map.into_iter()
            .map(|(key, value)| (word(key), word(value)))
            .collect()
    };
    text.into_iter()
        .map(|(address, account)| {
            let nonce = number(account.nonce.as_deref())?;
            let change = AccountOverride {
                nonce: nonce.map(|nonce| nonce.saturating_to()),
                code: account.code.map(|code| code.0),
                balance: number(account.balance.as_deref())?,
                state: account.state.map(slots),
                state_diff: account.state_diff.map(slots),
                move_precompile_to: account.move_precompile_to.map(|to| to.0),
            };
            Ok((address.0, change))
        })
        .collect()
}

/// Overridden header fields.
pub(super) fn block_overrides(text: BlockText) -> Result<BlockOverrides, Failure> {
    let small = |text: &Option<String>| -> Result<Option<u64>, Failure> {
        Ok(number(text.as_deref())?.map(|number| number.saturating_to()))
    };
    let blob_base_fee = number(text.blob_base_fee.as_deref())?;
    Ok(BlockOverrides {
        number: number(text.number.as_deref())?,
        time: small(&text.time)?,
        gas_limit: small(&text.gas_limit)?,
        fee_recipient: text.fee_recipient.map(|address| address.0),
        prev_randao: text.prev_randao.map(|hash| hash.0),
        base_fee_per_gas: small(&text.base_fee_per_gas)?,
        blob_base_fee: blob_base_fee.map(|fee| fee.saturating_to()),
        beacon_root: text.beacon_root.map(|hash| hash.0),
    })
}
