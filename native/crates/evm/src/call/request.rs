//! A message as it is asked for, and its form for the EVM.

use crate::overrides::{BlockOverrides, StateOverrides};
use crate::read::BlockRef;
use crate::scene::CallLimits;
use alloy_eips::eip2930::AccessList;
use alloy_eips::eip7702::SignedAuthorization;
use alloy_primitives::{Address, Bytes, TxKind, U256};
use revm::context::TxEnv;
use revm::context::result::InvalidTransaction;
use revm::context_interface::either::Either;

/// A message to run.
#[derive(Debug, Clone)]
pub struct CallRequest {
    /// Sender; the zero address when absent.
    pub from: Option<Address>,
    /// Absent: contract creation.
    pub to: Option<Address>,
    /// Gas limit; the cap when absent.
    pub gas: Option<u64>,
    /// Price per gas in wei.
    pub gas_price: Option<u128>,
    /// Fee cap in wei.
    pub max_fee_per_gas: Option<u128>,
    /// Priority fee in wei.
    pub max_priority_fee_per_gas: Option<u128>,
    /// Wei to send.
    pub value: U256,
    /// Nonce; only shown to the message, never checked.
    pub nonce: Option<u64>,
    /// Calldata or init code.
    pub data: Bytes,
    /// EIP-2930 access list.
    pub access_list: AccessList,
    /// EIP-7702 authorizations; absent for a message that carries none.
    pub authorizations: Option<Vec<SignedAuthorization>>,
    /// On which state.
    pub block: BlockRef,
    /// Accounts it sees differently.
    pub overrides: StateOverrides,
    /// Header fields it sees differently.
    pub block_overrides: BlockOverrides,
    /// What the operator allows.
    pub limits: CallLimits,
}

/// The EVM's form of a message, without its gas limit.
pub(crate) fn call_env(request: &CallRequest, chain_id: u64) -> TxEnv {
    let dynamic = request.max_fee_per_gas.is_some() || request.max_priority_fee_per_gas.is_some();
    let tip = if dynamic {
        request.max_priority_fee_per_gas
    } else {
        request.gas_price
    };
    let tx_type = match (&request.authorizations, dynamic) {
        (Some(_), _) => 4,
        (None, true) => 2,
        (None, false) => u8::from(!request.access_list.0.is_empty()),
    };
    let authorizations = request.authorizations.as_deref().unwrap_or_default();
    TxEnv {
        tx_type,
        caller: request.from.unwrap_or_default(),
        gas_limit: 0,
        gas_price: if dynamic {
            request.max_fee_per_gas
        } else {
            request.gas_price
        }
        .unwrap_or_default(),
        kind: request.to.map_or(TxKind::Create, TxKind::Call),
        value: request.value,
        data: request.data.clone(),
        nonce: request.nonce.unwrap_or_default(),
        chain_id: Some(chain_id),
        access_list: request.access_list.clone(),
        gas_priority_fee: (tx_type == 2 || tx_type == 4).then(|| tip.unwrap_or_default()),
        blob_hashes: Vec::new(),
        max_fee_per_blob_gas: 0,
        authorization_list: authorizations.iter().cloned().map(Either::Left).collect(),
    }
}

/// Authorizations stand in transactions that have a receiver (EIP-7702); the EVM takes a message without one too.
pub(crate) fn creation_with_authorizations(tx: &TxEnv) -> Option<InvalidTransaction> {
    let creates = tx.tx_type == 4 && tx.kind == TxKind::Create;
    creates.then_some(InvalidTransaction::AuthorizationListInvalidFields)
}
