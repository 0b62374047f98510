//! State and block overrides of calls, with geth's semantics: accounts changed as if in a transaction just before the
//! call, precompiles moved or replaced by code, header fields replaced.

use crate::error::ChainError;
use crate::overlay::{Overlay, ReadError};
use crate::precompiles::CairnPrecompiles;
use alloy_consensus::Header;
use alloy_primitives::map::AddressSet;
use alloy_primitives::{Address, B256, Bytes, U256};
use revm::context::BlockEnv;
use revm::context_interface::block::BlobExcessGasAndPrice;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a call sees of an account instead of the state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AccountOverride {
    /// Nonce.
    #[serde(with = "alloy_serde::quantity::opt")]
    pub nonce: Option<u64>,
    /// Code.
    pub code: Option<Bytes>,
    /// Balance in wei.
    pub balance: Option<U256>,
    /// The whole storage.
    pub state: Option<BTreeMap<U256, U256>>,
    /// Single slots.
    pub state_diff: Option<BTreeMap<U256, U256>>,
    /// Where the precompile at this address goes.
    pub move_precompile_to: Option<Address>,
}

/// Overridden accounts by address.
pub type StateOverrides = BTreeMap<Address, AccountOverride>;

/// Header fields a call sees instead of its block's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BlockOverrides {
    /// Height; wider than 64 bits, as calls may ask.
    pub number: Option<U256>,
    /// Seconds.
    #[serde(with = "alloy_serde::quantity::opt")]
    pub time: Option<u64>,
    /// Gas limit.
    #[serde(with = "alloy_serde::quantity::opt")]
    pub gas_limit: Option<u64>,
    /// Receiver of the priority fees.
    pub fee_recipient: Option<Address>,
    /// `PREVRANDAO`.
    pub prev_randao: Option<B256>,
    /// Base fee in wei.
    #[serde(with = "alloy_serde::quantity::opt")]
    pub base_fee_per_gas: Option<u64>,
    /// Blob base fee in wei.
    #[serde(with = "alloy_serde::quantity::opt")]
    pub blob_base_fee: Option<u128>,
    /// EIP-4788 root; simulated blocks only.
    pub beacon_root: Option<B256>,
}

impl BlockOverrides {
    /// Replaces the fields a header has.
    pub fn apply_to_header(&self, header: &mut Header) {
        if let Some(number) = self.number {
            header.number = number.saturating_to();
        }
        header.timestamp = self.time.unwrap_or(header.timestamp);
        header.gas_limit = self.gas_limit.unwrap_or(header.gas_limit);
        header.beneficiary = self.fee_recipient.unwrap_or(header.beneficiary);
        header.mix_hash = self.prev_randao.unwrap_or(header.mix_hash);
        header.base_fee_per_gas = self.base_fee_per_gas.or(header.base_fee_per_gas);
        header.parent_beacon_block_root = self.beacon_root.or(header.parent_beacon_block_root);
    }

    /// Replaces what the EVM sees and no header field carries.
    pub fn apply_to_env(&self, env: &mut BlockEnv) {
        if let Some(number) = self.number {
            env.number = number;
        }
        if let Some(blob_gasprice) = self.blob_base_fee {
            env.blob_excess_gas_and_price = Some(BlobExcessGasAndPrice {
                excess_blob_gas: 0,
                blob_gasprice,
            });
        }
    }
}

/// A state whose accounts can be overridden.
pub(crate) trait Overridable {
    /// Replaces what the override names of one account.
    fn override_account(
        &mut self,
        address: Address,
        change: &AccountOverride,
    ) -> Result<(), ReadError>;
}

impl Overridable for Overlay {
    fn override_account(
        &mut self,
        address: Address,
        change: &AccountOverride,
    ) -> Result<(), ReadError> {
        Overlay::override_account(self, address, change)
    }
}

/// Applies overrides to a state and its precompiles; the inner error is geth's text for a contradiction.
pub(crate) fn apply_state_overrides(
    overrides: &StateOverrides,
    state: &mut impl Overridable,
    precompiles: &mut CairnPrecompiles,
) -> Result<Result<(), String>, ChainError> {
    let mut taken = AddressSet::default();
    for (address, change) in overrides {
        if taken.contains(address) {
            return Ok(Err(format!(
                "account {address} has already been overridden by a precompile"
            )));
        }
        let is_precompile = precompiles.contains(address);
        if let Some(target) = change.move_precompile_to {
            if !is_precompile {
                return Ok(Err(format!("account {address} is not a precompile")));
            }
            if overrides.contains_key(&target) {
                return Ok(Err(format!("account {target} is already overridden")));
            }
            precompiles.place(*address, target);
            taken.insert(target);
        }
        if is_precompile {
            precompiles.remove(*address);
        }
        if change.state.is_some() && change.state_diff.is_some() {
            return Ok(Err(format!(
                "account {address} has both 'state' and 'stateDiff'"
            )));
        }
        state
            .override_account(*address, change)
            .map_err(|ReadError(error)| ChainError::State(error))?;
    }
    Ok(Ok(()))
}
