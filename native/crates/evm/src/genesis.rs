//! Block 0: the Ethereum side of the genesis (`app_state` of genesis.json) turned into state changes and a header.

use crate::error::ChainError;
use crate::header::{blank_header, prev_randao};
use crate::spec::ChainSpec;
use alloy_consensus::Header;
use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use cairn_state::{AccountChange, AccountInfo, StateChanges};
use serde::{Deserialize, Deserializer, de};
use std::collections::BTreeMap;
use std::str::FromStr;

/// The genesis as its JSON text holds it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Genesis {
    #[serde(deserialize_with = "number")]
    chain_id: u64,
    #[serde(deserialize_with = "number")]
    timestamp: u64,
    #[serde(deserialize_with = "number")]
    gas_limit: u64,
    #[serde(deserialize_with = "number")]
    base_fee_per_gas: u64,
    #[serde(default, deserialize_with = "number")]
    min_base_fee: u64,
    #[serde(default)]
    allow_unprotected_txs: bool,
    #[serde(default)]
    alloc: BTreeMap<String, GenesisAccount>,
}

#[derive(Debug, Clone, Deserialize)]
struct GenesisAccount {
    #[serde(default, deserialize_with = "wide_number")]
    balance: U256,
    #[serde(default, deserialize_with = "number")]
    nonce: u64,
    #[serde(default)]
    code: String,
    #[serde(default)]
    storage: BTreeMap<String, String>,
}

impl Genesis {
    /// Reads the JSON text.
    pub(crate) fn parse(text: &str) -> Result<Self, ChainError> {
        let genesis: Self =
            serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?;
        if genesis.chain_id == 0 || genesis.gas_limit < 21_000 {
            return Err(invalid(
                "chainId must not be 0 and gasLimit must hold a transfer",
            ));
        }
        Ok(genesis)
    }

    /// The parameters execution needs.
    pub(crate) fn spec(&self) -> ChainSpec {
        ChainSpec {
            chain_id: self.chain_id,
            min_base_fee: self.min_base_fee,
            allow_unprotected: self.allow_unprotected_txs,
        }
    }

    /// The alloc as changes to the empty state. Empty accounts are left out (EIP-161).
    pub(crate) fn changes(&self) -> Result<StateChanges, ChainError> {
        let mut changes = StateChanges::default();
        for (address, account) in &self.alloc {
            let address = Address::from_str(address)
                .map_err(|_| invalid(format!("alloc: {address} is no address")))?;
            let Some((change, code)) = account.change(&address)? else {
                continue;
            };
            if !code.is_empty() {
                changes.code.insert(keccak256(&code), code);
            }
            changes.accounts.insert(address, change);
        }
        Ok(changes)
    }

    /// The header of block 0 over `state_root`.
    pub(crate) fn header(&self, state_root: B256) -> Header {
        Header {
            state_root,
            gas_limit: self.gas_limit,
            timestamp: self.timestamp,
            mix_hash: prev_randao(B256::ZERO),
            base_fee_per_gas: Some(self.base_fee_per_gas),
            parent_beacon_block_root: Some(B256::ZERO),
            ..blank_header()
        }
    }
}

impl GenesisAccount {
    /// The account and its code; `None` for an empty one.
    fn change(&self, address: &Address) -> Result<Option<(AccountChange, Bytes)>, ChainError> {
        let code =
            bytes(&self.code).ok_or_else(|| invalid(format!("alloc {address}: code is no hex")))?;
        let slots = self.storage.iter();
        let mut storage = slots
            .map(|(key, value)| Some((word(key)?, word(value)?)))
            .collect::<Option<BTreeMap<U256, U256>>>()
            .ok_or_else(|| invalid(format!("alloc {address}: storage is no 32-byte hex")))?;
        let has_nothing = self.balance.is_zero() && self.nonce == 0;
        if has_nothing && code.is_empty() && storage.is_empty() {
            return Ok(None);
        }
        storage.retain(|_, value| !value.is_zero());
        let info = AccountInfo {
            nonce: self.nonce,
            balance: self.balance,
            code_hash: keccak256(&code),
        };
        let change = AccountChange {
            account: Some(info),
            wipe_storage: false,
            storage,
        };
        Ok(Some((change, code)))
    }
}

fn invalid(text: impl Into<String>) -> ChainError {
    ChainError::InvalidGenesis(text.into())
}

fn bytes(text: &str) -> Option<Bytes> {
    if text.is_empty() || text == "0x" {
        return Some(Bytes::new());
    }
    alloy_primitives::hex::decode(text).ok().map(Bytes::from)
}

fn word(text: &str) -> Option<U256> {
    let digits = text.strip_prefix("0x")?;
    if digits.is_empty() || digits.len() > 64 {
        return None;
    }
    U256::from_str_radix(digits, 16).ok()
}

#[derive(Deserialize)]
#[serde(untagged)]
enum NumberText {
    Number(u64),
    Text(String),
}

impl NumberText {
    fn value(&self) -> Option<U256> {
        match self {
            Self::Number(value) => Some(U256::from(*value)),
            Self::Text(text) => match text.strip_prefix("0x") {
                Some(digits) if !digits.is_empty() => U256::from_str_radix(digits, 16).ok(),
                Some(_) => None,
                None => U256::from_str_radix(text, 10).ok(),
            },
        }
    }
}

fn wide_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<U256, D::Error> {
    NumberText::deserialize(deserializer)?
        .value()
        .ok_or_else(|| de::Error::custom("not a quantity"))
}

fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    u64::try_from(wide_number(deserializer)?)
        .map_err(|_| de::Error::custom("quantity above 64 bits"))
}
